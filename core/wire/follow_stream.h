// SPDX-License-Identifier: Apache-2.0
// FollowStream: the command's end of a follow call. Internal to core/wire; loop thread only.
//
// The owner must call close() after start().
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

  // Call it once, right after construction.
  void start(const FollowRequest& request);
  // While held, nothing is read and no handler is called; the controller fills its window and waits.
  void hold(bool held);
  // No handler is called afterwards. Waits (well below 1 ms) until gRPC has finished the call.
  void close();

 private:
  // Returns the tag of one operation; `then` may use `this`.
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
  wire::FollowItem incoming_;  // used by gRPC during a read
  grpc::Status grpc_status_;   // used by gRPC from finish() on

  std::shared_ptr<Handlers> handlers_;  // shared: a handler may destroy the follow
  std::optional<Status> verdict_;       // from the controller's last item, or why this side ended the call
  bool finishing_ = false;              // no operation may follow
  bool held_ = false;
  bool reading_ = false;  // a read is in progress
  CompletionThread thread_;
};

}  // namespace muster
