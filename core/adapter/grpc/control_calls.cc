#include "core/adapter/grpc/control_calls.h"

#include <utility>

#include "core/adapter/grpc/convert.h"
#include "core/adapter/grpc/follow_call.h"

namespace muster {

template <typename Response>
grpc::ServerUnaryReactor* ControlCalls::serve(Context* context, Response* response,
                                              std::function<void(Call<Response>)> handler) {
  context->AddTrailingMetadata(kOwnStatus, "1");
  if (const auto call = std::make_shared<UnaryCall<Response>>(calls_, response); calls_.add(call)) {
    calls_.post([call, handler = std::move(handler)] {
      if (!call->answered()) handler(call);
    });
    return call.get();
  }
  Reactor* refusal = context->DefaultReactor();
  refusal->Finish(grpc_status(Status(Code::unavailable, "the controller is ending")));
  return refusal;
}

ControlCalls::Reactor* ControlCalls::Submit(Context* context, const wire::SubmitRequest* request,
                                            wire::JobView* response) {
  Status trouble;
  const SubmitRequest submit = from_wire(*request, trouble);
  return serve<wire::JobView>(context, response, [this, submit, trouble](const Call<wire::JobView>& call) {
    if (!trouble.ok()) return call->answer(trouble);
    service_.submit(submit, [call](const Result<JobView>& job) {
      job.ok() ? call->answer(Status(), to_wire(*job)) : call->answer(job.status());
    });
  });
}

ControlCalls::Reactor* ControlCalls::List(Context* context, const wire::ListRequest* request,
                                          wire::ListReply* response) {
  const bool all = request->all();
  return serve<wire::ListReply>(context, response, [this, all](const Call<wire::ListReply>& call) {
    wire::ListReply reply;
    for (const JobView& job : service_.list(all)) *reply.add_jobs() = to_wire(job);
    call->answer(Status(), std::move(reply));
  });
}

ControlCalls::Reactor* ControlCalls::Describe(Context* context, const wire::DescribeRequest* request,
                                              wire::JobView* response) {
  return serve<wire::JobView>(context, response, [this, name = request->job()](const Call<wire::JobView>& call) {
    const Result<JobView> job = service_.describe(name);
    job.ok() ? call->answer(Status(), to_wire(*job)) : call->answer(job.status());
  });
}

ControlCalls::Reactor* ControlCalls::Stop(Context* context, const wire::StopRequest* request,
                                          wire::Done* response) {
  return serve<wire::Done>(context, response, [this, request](const Call<wire::Done>& call) {
    call->answer(service_.stop(request->job(), request->kill(), Duration(request->grace_nanos())));
  });
}

ControlCalls::Reactor* ControlCalls::Remove(Context* context, const wire::RemoveRequest* request,
                                            wire::Done* response) {
  return serve<wire::Done>(context, response, [this, request](const Call<wire::Done>& call) {
    call->answer(service_.remove(request->job()));
  });
}

ControlCalls::Reactor* ControlCalls::Type(Context* context, const wire::TtyBytes* request, wire::Done* response) {
  return serve<wire::Done>(context, response, [this, request](const Call<wire::Done>& call) {
    Status trouble;
    const TtyBytes typed = from_wire(*request, trouble);
    call->answer(trouble.ok() ? service_.type(typed) : trouble);
  });
}

ControlCalls::Reactor* ControlCalls::Info(Context* context, const wire::InfoRequest*,
                                          wire::ControllerInfo* response) {
  return serve<wire::ControllerInfo>(context, response, [this](const Call<wire::ControllerInfo>& call) {
    call->answer(Status(), to_wire(service_.info()));
  });
}

ControlCalls::Reactor* ControlCalls::Shutdown(Context* context, const wire::ShutdownRequest* request,
                                              wire::Done* response) {
  return serve<wire::Done>(context, response, [this, force = request->force()](const Call<wire::Done>& call) {
    call->answer(service_.shutdown(force));
  });
}

ControlCalls::FollowReactor* ControlCalls::Follow(Context* context, const wire::FollowRequest* request) {
  context->AddTrailingMetadata(kOwnStatus, "1");
  struct Refusal final : grpc::ServerWriteReactor<wire::FollowItem> {
    void OnDone() override { delete this; }
  };
  const auto call = std::make_shared<FollowCall>(calls_);
  if (!calls_.add(call)) {
    auto* refusal = new Refusal;
    refusal->Finish(grpc_status(Status(Code::unavailable, "the controller is ending")));
    return refusal;
  }
  Status trouble;
  const FollowRequest follow = from_wire(*request, trouble);
  // Not `this`: the turn may come when the server has gone; the call knows that it is finished by then.
  calls_.post([&service = service_, call, follow, trouble] {
    trouble.ok() ? call->begin(service, follow) : call->refuse(trouble);
  });
  return call.get();
}

}  // namespace muster
