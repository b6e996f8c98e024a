// SshHostLinks: a backend's links to hosts, over the user's own ssh (host_session.h). Whoever serves agents takes their streams. Only
// some sessions begin at once; the others wait for their turn, which is told to nobody.
#pragma once

#include <deque>
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
  ~SshHostLinks() override;

  // The links must go before it does.
  std::unique_ptr<HostLink> open(const HostCall& call, Handlers handlers) override;

 private:
  class Link;
  void knock_on();

  FdLoop& loop_;
  const Access access_;
  const Take take_;
  std::deque<Link*> waiting_;
  size_t knocking_ = 0;  // that were not let in yet
  TimerId timer_ = 0;
};

}  // namespace muster
