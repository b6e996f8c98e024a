// SPDX-License-Identifier: Apache-2.0
// ExecHostLinks: implements HostLinks inside a job. Its hosts are the nodes of that job, and it starts the program beside a rank there, as
// `muster exec` does, with muster's own program of that node's agent. So neither ssh nor a further port is needed.
//
// The nodes belong to the job that this process is in, so nobody else holds devices there, and its code is there. Loop thread only.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/job/plan/job_node.h"
#include "core/port/host_link.h"
#include "core/system/asio/fd_loop.h"
#include "core/system/posix/unique_fd.h"
#include "core/wire/worker/rank_client.h"

namespace muster {

class ExecHostLinks final : public HostLinks {
 public:
  // Gets the stream of an agent that connects, and HostCall::peer.
  using Take = std::function<void(UniqueFd stream, const std::string& peer)>;
  ExecHostLinks(FdLoop& loop, RankClient client, const std::vector<JobNode>& nodes, Take take);

  std::unique_ptr<HostLink> open(const HostCall& call, Handlers handlers) override;
  std::unique_ptr<HostLink> look(const HostCall& call, Seen seen) override;
  std::unique_ptr<HostLink> deliver(const HostCall& call, const JobId& job, const JobCode& code,
                                    Delivered done) override;

  // Programs that were started by open() and have not ended.
  size_t running() const { return running_; }

 private:
  class Link;
  class Posted;

  FdLoop& loop_;
  const RankClient client_;
  std::map<std::string, JobNode> nodes_;  // by name
  const Take take_;
  size_t running_ = 0;
};

}  // namespace muster
