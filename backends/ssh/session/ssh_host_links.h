// SPDX-License-Identifier: Apache-2.0
// SshHostLinks: implements HostLinks over the user's own ssh (host_session.h). The `take` function gets the streams of agents. At most
// kHostsAtOnce logins run at the same time; other calls wait in a queue.
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
  // The access to hosts for an environment of ssh.
  using Access = std::function<Result<std::shared_ptr<const HostAccess>>(const std::map<std::string, std::string>&)>;
  using Take = std::function<void(UniqueFd stream, const std::string& peer)>;
  // The path on this machine of the archive of a job's code, by its hash.
  using Archive = std::function<std::string(const std::string& hash)>;
  // Parses the holders from a host's answer to `muster facts`.
  using Holders = std::function<Result<std::vector<Holder>>(const std::string& answer)>;
  SshHostLinks(FdLoop& loop, Access access, Take take, Archive archive, Holders holders)
      : loop_(loop),
        access_(std::move(access)),
        take_(std::move(take)),
        archive_(std::move(archive)),
        holders_(std::move(holders)) {}
  ~SshHostLinks() override;

  // Links must be destroyed before this object.
  std::unique_ptr<HostLink> open(const HostCall& call, Handlers handlers) override;
  std::unique_ptr<HostLink> look(const HostCall& call, Seen seen) override;
  std::unique_ptr<HostLink> deliver(const HostCall& call, const JobId& job, const JobCode& code,
                                    Delivered done) override;

 private:
  class QueuedCall;
  class Link;
  class CodeCopy;
  class HoldersQuestion;
  std::unique_ptr<HostLink> enqueue(std::unique_ptr<QueuedCall> caller);
  void start_next();

  FdLoop& loop_;
  const Access access_;
  const Take take_;
  const Archive archive_;
  const Holders holders_;
  std::deque<QueuedCall*> waiting_;
  size_t logging_in_ = 0;  // calls whose ssh login is not complete
  TimerId timer_ = 0;
};

}  // namespace muster
