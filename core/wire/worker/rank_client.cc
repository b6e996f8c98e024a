// SPDX-License-Identifier: Apache-2.0
#include "core/wire/worker/rank_client.h"

#include <grpcpp/grpcpp.h>

#include <charconv>

#include "core/wire/exec_line.h"
#include "core/wire/settings.h"
#include "core/wire/values/convert.h"
#include "proto/worker.grpc.pb.h"
#include "proto/worker_exec.grpc.pb.h"

namespace muster {
namespace {

constexpr auto kDeadline = std::chrono::seconds(10);
constexpr const char* kAgent = "the agent of this node";

std::optional<uint32_t> number_in(const std::map<std::string, std::string>& environment, const char* name) {
  const auto found = environment.find(name);
  if (found == environment.end()) return std::nullopt;
  const std::string& text = found->second;
  uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

std::optional<RankClient> RankClient::of(const std::map<std::string, std::string>& environment) {
  const auto socket = environment.find("MUSTER_SOCKET");
  const auto attempt = number_in(environment, "MUSTER_ATTEMPT");
  const auto index = number_in(environment, "MUSTER_INDEX");
  if (socket == environment.end() || socket->second.empty() || !attempt || !index) return std::nullopt;
  return RankClient(socket->second, *attempt, *index);
}

Result<std::string> RankClient::get(const std::string& key) const {
  quiet_grpc();
  RendezvousCall call;
  call.kind = RendezvousCall::Kind::get;
  call.key = key;
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + kDeadline);
  wire::WorkerReply reply;
  const auto stub = wire::Worker::NewStub(local_channel(socket_));
  const grpc::Status called = stub->Call(&context, to_wire(WorkerCall{attempt_, index_, call}), &reply);
  if (!called.ok()) return status_from(called, false, kAgent);
  Status trouble;
  const WorkerAnswer answer = from_wire(reply, trouble);
  if (!trouble.ok()) return trouble;
  const auto* given = std::get_if<RendezvousAnswer>(&answer);
  if (given == nullptr) return Status(Code::internal, "the agent answered something else");
  if (!given->status.ok()) return given->status;
  return given->value;
}

std::unique_ptr<ExecChannel> RankClient::exec(Loop& loop, ExecStart start) const {
  quiet_grpc();
  start.viewer_attempt = attempt_;
  std::shared_ptr<wire::WorkerExec::Stub> stub = wire::WorkerExec::NewStub(local_channel(socket_));
  return open_exec(
      loop, kAgent,
      [stub](grpc::ClientContext* context, grpc::CompletionQueue* queue) {
        return stub->PrepareAsyncExec(context, queue);
      },
      start);
}

}  // namespace muster
