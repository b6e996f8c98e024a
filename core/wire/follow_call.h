// SPDX-License-Identifier: Apache-2.0
// FollowCall: the controller's end of one viewer's stream. Internal to core/wire; loop thread only.
//
// The end is sent as the last item (control.proto), so that no item before it is lost.
#pragma once

#include <grpcpp/server_context.h>
#include <grpcpp/support/async_stream.h>

#include <functional>
#include <memory>

#include "core/port/control.h"
#include "core/wire/live_calls.h"
#include "core/wire/outbox.h"
#include "proto/control.grpc.pb.h"

namespace muster {

class FollowCall final : public LiveCall {
 public:
  using Service = wire::Control::AsyncService;

  // Starts to serve follow calls, any number of them. Each is passed to `control` as a sink.
  static void accept(LiveCalls& calls, Service& service, JobReadService& control);

  FollowCall(LiveCalls& calls, Service& service, JobReadService& control)
      : LiveCall(calls),
        service_(service),
        control_(control) {}

  // Called by the sink object.
  bool write(const FollowItem& item);
  void listen(std::function<void()> writable, std::function<void()> gone);
  void end(const Status& status);
  void let_go();

  void abandon() override;

 private:
  struct Handlers {
    std::function<void()> writable;
    std::function<void()> gone;
  };
  struct Grpc {
    grpc::ServerContext context;
    wire::FollowRequest request;
    grpc::ServerAsyncWriter<wire::FollowItem> stream{&context};
  };

  void arrived(bool ok);
  void wrote(bool ok);
  void pump();
  void tell_writable();
  void viewer_left();
  void finish(const Status& status);
  void free_grpc() override;

  Service& service_;
  JobReadService& control_;
  std::unique_ptr<Grpc> grpc_ = std::make_unique<Grpc>();
  void* done_tag_ = nullptr;            // a kept tag: gRPC returns it only if a call arrived
  std::shared_ptr<Handlers> handlers_;  // shared: a handler may destroy the sink
  Outbox<wire::FollowItem> outbox_;
  bool blocked_ = false;  // write() returned false
  bool ending_ = false;   // the last item is queued
};

}  // namespace muster
