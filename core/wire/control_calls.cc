// SPDX-License-Identifier: Apache-2.0
#include "core/wire/control_calls.h"

#include "core/wire/exec_call.h"
#include "core/wire/follow_call.h"
#include "core/wire/unary_call.h"
#include "core/wire/values/convert.h"

namespace muster {
namespace {

using Service = wire::Control::AsyncService;
template <typename Request, typename Response>
using Call = std::shared_ptr<UnaryCall<Service, Request, Response>>;

void submit(JobActionService& control, const wire::SubmitRequest& request,
            const Call<wire::SubmitRequest, wire::JobView>& call) {
  Status trouble;
  const SubmitRequest submit = from_wire(request, trouble);
  if (!trouble.ok()) return call->answer(trouble);
  control.submit(submit, [call](const Result<JobView>& job) {
    job.ok() ? call->answer(Status(), to_wire(*job)) : call->answer(job.status());
  });
}

void list(JobReadService& control, const wire::ListRequest& request,
          const Call<wire::ListRequest, wire::ListReply>& call) {
  wire::ListReply reply;
  for (const JobView& job : control.list({request.all(), request.measure()})) *reply.add_jobs() = to_wire(job);
  call->answer(Status(), reply);
}

void describe(JobReadService& control, const wire::DescribeRequest& request,
              const Call<wire::DescribeRequest, wire::JobView>& call) {
  const Result<JobView> job = control.describe({request.job(), request.examine()});
  job.ok() ? call->answer(Status(), to_wire(*job)) : call->answer(job.status());
}

void stop(JobActionService& control, const wire::StopRequest& request,
          const Call<wire::StopRequest, wire::Done>& call) {
  const int signal = request.kill() ? SIGKILL : request.signal() == 0 ? SIGTERM : request.signal();
  call->answer(control.stop(request.job(), signal, Duration(request.grace_nanos())));
}

void arrange(ControllerService& control, const wire::ArrangeRequest& request,
             const Call<wire::ArrangeRequest, wire::JobView>& call) {
  Status trouble;
  const ArrangeRequest asked = from_wire(request, trouble);
  const Result<JobView> job = trouble.ok() ? control.arrange(asked) : Result<JobView>(trouble);
  job.ok() ? call->answer(Status(), to_wire(*job)) : call->answer(job.status());
}

void remove(JobActionService& control, const wire::RemoveRequest& request,
            const Call<wire::RemoveRequest, wire::Done>& call) {
  call->answer(control.remove(request.job()));
}

void prune(ControllerService& control, const wire::PruneRequest& request,
           const Call<wire::PruneRequest, wire::Pruned>& call) {
  Status trouble;
  const Result<Pruned> pruned = control.prune(from_wire(request, trouble));
  pruned.ok() ? call->answer(Status(), to_wire(*pruned)) : call->answer(pruned.status());
}

void type(RankInputService& control, const wire::TtyBytes& request, const Call<wire::TtyBytes, wire::Done>& call) {
  Status trouble;
  const TtyBytes typed = from_wire(request, trouble);
  call->answer(trouble.ok() ? control.type(typed) : trouble);
}

void note_code(ControllerService& control, const wire::CodeNote& note, const Call<wire::CodeNote, wire::Done>& call) {
  call->answer(control.note_code(note.job(), note.commit()));
}

void info(ControllerService& control, const wire::InfoRequest&,
          const Call<wire::InfoRequest, wire::ControllerInfo>& call) {
  call->answer(Status(), to_wire(control.info()));
}

void end_idle_agents(ControllerService& control, const wire::EndIdleAgentsRequest&,
                     const Call<wire::EndIdleAgentsRequest, wire::EndedIdleAgents>& call) {
  wire::EndedIdleAgents ended;
  ended.set_count(control.end_idle_agents());
  call->answer(Status(), ended);
}

void shut_down(ControllerService& control, const wire::ShutdownRequest& request,
               const Call<wire::ShutdownRequest, wire::Done>& call) {
  call->answer(control.shutdown(request.force()));
}

// Connects each generated method to its function above.
struct Binder {
  LiveCalls& calls;
  Service& service;
  ControlService& control;

  // `Layer`: the generated service has one base class per method.
  template <typename Layer, typename Part, typename Request, typename Response>
  void bind(void (Layer::*accept)(grpc::ServerContext*, Request*, grpc::ServerAsyncResponseWriter<Response>*,
                                  grpc::CompletionQueue*, grpc::ServerCompletionQueue*, void*),
            void (*handler)(Part&, const Request&, const Call<Request, Response>&)) {
    UnaryCall<Service, Request, Response>::accept(
        calls, service, accept,
        [&control = static_cast<Part&>(control), handler](const Request& request, const auto& call) {
          handler(control, request, call);
        });
  }
};

}  // namespace

void serve_control(LiveCalls& calls, Service& service, ControlService& control) {
  Binder binder{calls, service, control};
  binder.bind(&Service::RequestSubmit, submit);
  binder.bind(&Service::RequestList, list);
  binder.bind(&Service::RequestDescribe, describe);
  binder.bind(&Service::RequestStop, stop);
  binder.bind(&Service::RequestArrange, arrange);
  binder.bind(&Service::RequestRemove, remove);
  binder.bind(&Service::RequestType, type);
  binder.bind(&Service::RequestNoteCode, note_code);
  binder.bind(&Service::RequestInfo, info);
  binder.bind(&Service::RequestPrune, prune);
  binder.bind(&Service::RequestEndIdleAgents, end_idle_agents);
  binder.bind(&Service::RequestShutdown, shut_down);
  FollowCall::accept(calls, service, control);
  ExecCall::accept(
      calls,
      [&service](auto* context, auto* stream, auto* queue, void* tag) {
        service.RequestExec(context, stream, queue, queue, tag);
      },
      [&control](const ExecStart& start, std::unique_ptr<ExecChannel> viewer) {
        control.exec(start, std::move(viewer));
      });
}

}  // namespace muster
