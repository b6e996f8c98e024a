// FollowStream: one follow, seen from the command's side. Internal to adapter/grpc; loop thread only.
//
// Whoever starts one closes it.
#pragma once

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/support/async_stream.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/port/control.h"
#include "core/wire/completion_thread.h"
#include "proto/control.grpc.pb.h"

namespace muster {

class FollowStream final : public std::enable_shared_from_this<FollowStream> {
 public:
  struct Handlers {
    std::function<void(const FollowItem&)> on_item;
    std::function<void(const Status&)> on_end;
  };

  FollowStream(Loop& loop, std::string who, std::shared_ptr<grpc::Channel> channel, Handlers handlers);

  // Once, right after construction.
  void start(const FollowRequest& request);
  // While held nothing is read, so nothing comes; the controller fills its window and waits.
  void hold(bool held);
  // Silent from here on; waits, well below a millisecond, until gRPC is done with the call.
  void close();

 private:
  // The tag of one operation; `then` may use `this`.
  void* tag(std::function<void(bool ok)> then);
  void read_next();
  void read(bool ok);
  void received();
  void end(const Status& verdict);
  void give_up(const Status& status);
  void finish();
  void ended();

  const std::string who_;
  const std::shared_ptr<grpc::Channel> channel_;
  const std::unique_ptr<wire::Control::Stub> stub_;
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientAsyncReader<wire::FollowItem>> stream_;
  wire::FollowItem incoming_;  // gRPC's while a read is under way
  grpc::Status grpc_status_;   // gRPC's once finishing

  std::shared_ptr<Handlers> handlers_;  // shared: a handler may destroy the follow
  std::optional<Status> verdict_;       // the controller's, or ours if we ended the call
  bool finishing_ = false;              // no operation may follow
  bool held_ = false;
  bool reading_ = false;  // one is under way
  CompletionThread thread_;
};

}  // namespace muster
