// SPDX-License-Identifier: Apache-2.0
#include "core/wire/worker/worker_grpc.h"

#include <grpcpp/grpcpp.h>
#include <grpcpp/server_posix.h>

#include <map>

#include "core/wire/settings.h"
#include "core/wire/values/convert.h"
#include "proto/worker.grpc.pb.h"

namespace muster {
namespace {

constexpr size_t kCallMemory = 128 << 20;  // bytes of all calls

}  // namespace

class WorkerGrpc::Service final : public wire::Worker::CallbackService {
 public:
  Service(Loop& loop, const WorkerListener::OnCall& on_call) : loop_(loop), on_call_(on_call) {
    quiet_grpc();
    grpc::ServerBuilder builder;
    apply_server_settings(builder);
    builder.RegisterService(this);
    builder.SetResourceQuota(grpc::ResourceQuota("ranks").Resize(kCallMemory));
    server_ = builder.BuildAndStart();
  }

  ~Service() override {
    *alive_ = false;
    for (const auto& [number, open] : open_)
      open.reactor->Finish(grpc::Status(grpc::StatusCode::UNAVAILABLE, "the agent is shutting down"));
    if (server_) server_->Shutdown(std::chrono::system_clock::now());
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
  std::map<uint64_t, Open> open_;  // not answered yet
  uint64_t next_ = 1;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  std::unique_ptr<grpc::Server> server_;
};

WorkerGrpc::WorkerGrpc(Loop& loop, const WorkerListener::OnCall& on_call)
    : service_(std::make_unique<Service>(loop, on_call)) {}

WorkerGrpc::~WorkerGrpc() = default;

void WorkerGrpc::take(int fd) { service_->take(fd); }

}  // namespace muster
