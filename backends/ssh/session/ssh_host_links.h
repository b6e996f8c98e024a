// SshHostLinks: a backend's links to hosts, over the user's own ssh (host_session.h). Whoever serves agents takes their streams. Only
// some log in at once; the others wait for their turn, which is told to nobody.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "backends/ssh/session/host_session.h"
#include "core/port/host_link.h"

namespace muster {

class SshHostLinks final : public HostLinks {
 public:
  // Of the environment that ssh is to have.
  using Access = std::function<Result<std::shared_ptr<const HostAccess>>(const std::map<std::string, std::string>&)>;
  using Take = std::function<void(UniqueFd stream, const std::string& peer)>;
  // Where the archive of a job's code lies here, by its hash.
  using Archive = std::function<std::string(const std::string& hash)>;
  // What a host's answer to `muster facts` says of those who have some of it.
  using Holders = std::function<Result<std::vector<Holder>>(const std::string& answer)>;
  SshHostLinks(FdLoop& loop, Access access, Take take, Archive archive, Holders holders)
      : loop_(loop),
        access_(std::move(access)),
        take_(std::move(take)),
        archive_(std::move(archive)),
        holders_(std::move(holders)) {}
  ~SshHostLinks() override;

  // The links must go before it does.
  std::unique_ptr<HostLink> open(const HostCall& call, Handlers handlers) override;
  std::unique_ptr<HostLink> look(const HostCall& call, Seen seen) override;
  std::unique_ptr<HostLink> deliver(const HostCall& call, const JobId& job, const JobCode& code,
                                    Delivered done) override;

 private:
  class Caller;
  class Link;
  class CodeOnItsWay;
  class Look;
  std::unique_ptr<HostLink> knock(std::unique_ptr<Caller> caller);
  void knock_on();

  FdLoop& loop_;
  const Access access_;
  const Take take_;
  const Archive archive_;
  const Holders holders_;
  std::deque<Caller*> waiting_;
  size_t knocking_ = 0;  // that were not let in yet
  TimerId timer_ = 0;
};

}  // namespace muster
