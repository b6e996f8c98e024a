// SPDX-License-Identifier: Apache-2.0
// DirectClient: a ControlClient that calls a ControlService in the same process and loop (run --standalone), without a
// socket. Loop thread only.
#pragma once

#include <memory>

#include "core/port/control.h"
#include "core/port/loop.h"

namespace muster {

class DirectClient : public ControlClient {
 public:
  DirectClient(Loop& loop, ControlService& service) : loop_(loop), service_(service) {}

  Result<JobView> submit(const SubmitRequest& request) override;
  Result<std::vector<JobView>> list(const ListRequest& request) override { return service_.list(request); }
  Result<JobView> describe(const DescribeRequest& request) override { return service_.describe(request); }
  Status stop(const std::string& job, int signal, Duration grace) override { return service_.stop(job, signal, grace); }
  Result<JobView> arrange(const ArrangeRequest& request) override { return service_.arrange(request); }
  Status remove(const std::string& job) override { return service_.remove(job); }
  Status type(const TtyBytes& typed) override { return service_.type(typed); }
  Status note_code(const std::string& job, const std::string& commit) override {
    return service_.note_code(job, commit);
  }
  Result<ControllerInfo> info() override { return service_.info(); }
  Result<Pruned> prune(const PruneRequest& request) override { return service_.prune(request); }
  Result<uint32_t> end_idle_agents() override { return service_.end_idle_agents(); }
  Status shutdown(bool force) override { return service_.shutdown(force); }
  // Null: a command that hosts its job does not exec into it. Other commands connect over its socket.
  std::unique_ptr<ExecChannel> exec(const ExecStart&) override { return nullptr; }
  std::unique_ptr<Following> follow(const FollowRequest& request, std::function<void(const FollowItem&)> on_item,
                                    std::function<void(const Status&)> on_end) override;

 private:
  Loop& loop_;
  ControlService& service_;
};

}  // namespace muster
