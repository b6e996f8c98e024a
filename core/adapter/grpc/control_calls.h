// ControlCalls: control.proto's service in front of a ControlService. Internal to adapter/grpc.
#pragma once

#include <functional>
#include <memory>

#include "core/adapter/grpc/live_calls.h"
#include "core/adapter/grpc/unary_call.h"
#include "core/port/control.h"
#include "proto/control.grpc.pb.h"

namespace muster {

class ControlCalls final : public wire::Control::CallbackService {
 public:
  // Both must live until the gRPC server has ended.
  ControlCalls(LiveCalls& calls, ControlService& service) : calls_(calls), service_(service) {}

 private:
  using Context = grpc::CallbackServerContext;
  using Reactor = grpc::ServerUnaryReactor;
  using FollowReactor = grpc::ServerWriteReactor<wire::FollowItem>;
  template <typename Response>
  using Call = std::shared_ptr<UnaryCall<Response>>;

  // gRPC's threads.
  Reactor* Submit(Context* context, const wire::SubmitRequest* request, wire::JobView* response) override;
  Reactor* List(Context* context, const wire::ListRequest* request, wire::ListReply* response) override;
  Reactor* Describe(Context* context, const wire::DescribeRequest* request, wire::JobView* response) override;
  Reactor* Stop(Context* context, const wire::StopRequest* request, wire::Done* response) override;
  Reactor* Remove(Context* context, const wire::RemoveRequest* request, wire::Done* response) override;
  Reactor* Type(Context* context, const wire::TtyBytes* request, wire::Done* response) override;
  Reactor* Info(Context* context, const wire::InfoRequest* request, wire::ControllerInfo* response) override;
  Reactor* Shutdown(Context* context, const wire::ShutdownRequest* request, wire::Done* response) override;
  FollowReactor* Follow(Context* context, const wire::FollowRequest* request) override;

  // Runs `handler` on the loop unless the call has ended by then.
  template <typename Response>
  Reactor* serve(Context* context, Response* response, std::function<void(Call<Response>)> handler);

  LiveCalls& calls_;
  ControlService& service_;
};

}  // namespace muster
