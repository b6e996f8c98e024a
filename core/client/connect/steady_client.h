// SPDX-License-Identifier: Apache-2.0
// SteadyClient: a ControlClient that stays usable when the controller process changes. A controller exits when it is
// idle or replaced by a newer build. If that happens during a call, the call is repeated with the next controller.
//
// A call may run twice if only its answer was lost. This is safe: a submit is identified by its key, and the other
// repeated calls are idempotent. Keystrokes are never repeated. A follow ends with unavailable; its Follower resumes it.
// Use from one thread.
#pragma once

#include <functional>
#include <memory>

#include "core/port/control.h"

namespace muster {

class SteadyClient final : public ControlClient {
 public:
  using Connect = std::function<Result<std::unique_ptr<ControlClient>>()>;

  // `connect` finds or starts a controller.
  SteadyClient(std::unique_ptr<ControlClient> client, Connect connect)
      : client_(std::move(client)),
        connect_(std::move(connect)) {}

  Result<JobView> submit(const SubmitRequest& request) override;
  Result<std::vector<JobView>> list(const ListRequest& request) override;
  Result<JobView> describe(const DescribeRequest& request) override;
  Status stop(const std::string& job, int signal, Duration grace) override;
  Result<JobView> arrange(const ArrangeRequest& request) override;
  Status remove(const std::string& job) override;
  Status type(const TtyBytes& typed) override { return client_->type(typed); }
  Status note_code(const std::string& job, const std::string& commit) override {
    return client_->note_code(job, commit);
  }
  Result<ControllerInfo> info() override;
  Result<Pruned> prune(const PruneRequest& request) override { return client_->prune(request); }
  Result<uint32_t> end_idle_agents() override { return client_->end_idle_agents(); }
  Status shutdown(bool force) override { return client_->shutdown(force); }
  std::unique_ptr<ExecChannel> exec(const ExecStart& start) override { return client_->exec(start); }
  std::unique_ptr<Following> follow(const FollowRequest& request, std::function<void(const FollowItem&)> on_item,
                                    std::function<void(const Status&)> on_end) override {
    return client_->follow(request, std::move(on_item), std::move(on_end));
  }

 private:
  template <typename Call>
  auto with_retries(Call call);

  std::unique_ptr<ControlClient> client_;
  const Connect connect_;
};

}  // namespace muster
