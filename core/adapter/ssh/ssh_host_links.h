// SshHostLinks: a backend's links to hosts, over the user's own ssh (host_session.h). Whoever serves agents takes their streams.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "core/adapter/ssh/host_session.h"
#include "core/port/host_link.h"

namespace muster {

class SshHostLinks final : public HostLinks {
 public:
  // Of the environment that ssh is to have.
  using Access = std::function<Result<std::shared_ptr<const HostAccess>>(const std::map<std::string, std::string>&)>;
  using Take = std::function<void(UniqueFd stream, const std::string& peer)>;
  SshHostLinks(FdLoop& loop, Access access, Take take)
      : loop_(loop),
        access_(std::move(access)),
        take_(std::move(take)) {}

  std::unique_ptr<HostLink> open(const HostCall& call, Handlers handlers) override;

 private:
  FdLoop& loop_;
  const Access access_;
  const Take take_;
};

}  // namespace muster
