// SPDX-License-Identifier: Apache-2.0
#include "core/wire/worker/worker_grpc.h"

#include <grpcpp/grpcpp.h>
#include <grpcpp/server_posix.h>

#include <map>
#include <optional>

#include "core/wire/exec_call.h"
#include "core/wire/settings.h"
#include "core/wire/values/convert.h"
#include "proto/worker.grpc.pb.h"
#include "proto/worker_exec.grpc.pb.h"

namespace muster {
namespace {

constexpr size_t kCallMemory = 128 << 20;  // bytes of all calls

}  // namespace

class WorkerGrpc::Service final : public wire::Worker::CallbackService {
 public:
  Service(Loop& loop, const WorkerListener::OnCall& on_call, const WorkerListener::OnExec& on_exec)
      : loop_(loop),
        on_call_(on_call),
        on_exec_(on_exec) {
    quiet_grpc();
    grpc::ServerBuilder builder;
    apply_server_settings(builder);
    builder.RegisterService(this);
    builder.RegisterService(&exec_service_);
    builder.SetResourceQuota(grpc::ResourceQuota("ranks").Resize(kCallMemory));
    execs_.emplace(loop, builder.AddCompletionQueue());
    server_ = builder.BuildAndStart();
    if (server_) accept_execs();
  }

  ~Service() override {
    *alive_ = false;
    for (const auto& [number, open] : open_)
      open.reactor->Finish(grpc::Status(grpc::StatusCode::UNAVAILABLE, "the agent is shutting down"));
    execs_->abandon_all();
    if (server_) server_->Shutdown(std::chrono::system_clock::now());
    execs_->forget_all();
  }

  void take(int fd) {
    if (server_) grpc::AddInsecureChannelFromFd(server_.get(), fd);
  }

  // Called on a thread of gRPC. The request lives until the call is finished.
  grpc::ServerUnaryReactor* Call(grpc::CallbackServerContext* context, const wire::WorkerRequest* request,
                                 wire::WorkerReply* reply) override {
    grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
    loop_.post([this, alive = alive_, request, open = Open{reactor, reply}] {
      if (*alive) begin(*request, open);
    });
    return reactor;
  }

 private:
  struct Open {
    grpc::ServerUnaryReactor* reactor = nullptr;
    wire::WorkerReply* reply = nullptr;
  };

  void accept_execs() {
    ExecCall::accept(
        *execs_,
        [this](auto* context, auto* stream, auto* queue, void* tag) {
          exec_service_.RequestExec(context, stream, queue, queue, tag);
        },
        [this](const ExecStart& start, std::unique_ptr<ExecChannel> viewer) {
          if (on_exec_) return on_exec_(start, std::move(viewer));
          viewer->send(
              {0, ExecEnd{std::nullopt, static_cast<int>(Code::unimplemented), "this agent runs no programs"}});
        });
  }

  void begin(const wire::WorkerRequest& request, const Open& open) {
    Status trouble;
    WorkerCall call = from_wire(request, trouble);
    const uint64_t number = next_++;
    open_[number] = open;
    if (!trouble.ok()) return answer(number, cannot_answer(trouble));
    on_call_(std::move(call), [this, alive = alive_, number](const WorkerAnswer& said) {
      if (*alive) answer(number, said);
    });
  }

  void answer(uint64_t number, const WorkerAnswer& said) {
    auto node = open_.extract(number);
    if (node.empty()) return;
    *node.mapped().reply = to_wire(said);
    node.mapped().reactor->Finish(grpc::Status::OK);
  }

  Loop& loop_;
  const WorkerListener::OnCall& on_call_;
  const WorkerListener::OnExec& on_exec_;
  wire::WorkerExec::AsyncService exec_service_;
  std::map<uint64_t, Open> open_;  // not answered yet
  uint64_t next_ = 1;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  std::unique_ptr<grpc::Server> server_;
  std::optional<LiveCalls> execs_;
};

WorkerGrpc::WorkerGrpc(Loop& loop, const WorkerListener::OnCall& on_call, const WorkerListener::OnExec& on_exec)
    : service_(std::make_unique<Service>(loop, on_call, on_exec)) {}

WorkerGrpc::~WorkerGrpc() = default;

void WorkerGrpc::take(int fd) { service_->take(fd); }

}  // namespace muster
