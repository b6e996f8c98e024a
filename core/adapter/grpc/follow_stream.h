// FollowStream: one follow, seen from the command's side. Internal to adapter/grpc; threads as in agent_stream.h.
#pragma once

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/support/client_callback.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/adapter/grpc/ended.h"
#include "core/adapter/grpc/loop_gate.h"
#include "core/port/control.h"
#include "proto/control.grpc.pb.h"

namespace muster {

class FollowStream final : public grpc::ClientReadReactor<wire::FollowItem>,
                           public std::enable_shared_from_this<FollowStream> {
 public:
  struct Handlers {
    std::function<void(const FollowItem&)> on_item;
    std::function<void(const Status&)> on_end;
  };

  FollowStream(Loop& loop, std::string who, std::shared_ptr<grpc::Channel> channel, Handlers handlers);

  // Loop thread. Once, right after construction.
  void start(const FollowRequest& request);
  // Loop thread. Silent from here on; waits, well below a millisecond, until gRPC has forgotten the call.
  void close();

 private:
  // gRPC's threads.
  void OnReadDone(bool ok) override;
  void OnDone(const grpc::Status& status) override;

  // Loop thread.
  void received(const FollowItem& item);
  void received_end(const Status& status);
  void read_next();
  void give_up(const Status& status);
  void let_go();
  void ended(const Status& status);

  const std::string who_;
  Ended done_with_us_;
  LoopGate gate_;
  std::shared_ptr<grpc::Channel> channel_;  // must end on the loop thread: its end joins gRPC's threads
  std::unique_ptr<wire::Control::Stub> stub_;
  grpc::ClientContext context_;
  wire::FollowRequest request_;
  wire::FollowItem incoming_;  // gRPC's while a read is under way

  // Loop thread's own.
  std::shared_ptr<Handlers> handlers_;  // shared: a handler may destroy the follow
  std::optional<Status> verdict_;       // the controller's, or ours if we ended the call
  bool holding_ = true;
};

}  // namespace muster
