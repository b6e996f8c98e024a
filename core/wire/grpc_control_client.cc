// SPDX-License-Identifier: Apache-2.0
#include "core/wire/grpc_control_client.h"

#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "core/wire/exec_line.h"
#include "core/wire/follow_stream.h"
#include "core/wire/settings.h"
#include "core/wire/values/convert.h"

namespace muster {
namespace {

constexpr auto kDeadline = std::chrono::seconds(10);

class GrpcFollowing final : public JobReadClient::Following {
 public:
  explicit GrpcFollowing(std::shared_ptr<FollowStream> stream) : stream_(std::move(stream)) {}
  ~GrpcFollowing() override { stream_->close(); }
  void hold(bool held) override { stream_->hold(held); }

 private:
  std::shared_ptr<FollowStream> stream_;
};

using Stub = wire::Control::Stub;
template <typename Request, typename Response>
using Method = grpc::Status (Stub::*)(grpc::ClientContext*, const Request&, Response*);

}  // namespace

namespace {

// Each client has one thread, but clients may be on different threads: that of `top` calls while its loop draws.
struct KeptChannels {
  std::mutex guard;
  std::optional<std::vector<std::shared_ptr<grpc::Channel>>> channels;  // empty: channels end with their clients

  void keep(const std::shared_ptr<grpc::Channel>& channel) {
    const std::lock_guard<std::mutex> lock(guard);
    if (channels) channels->push_back(channel);
  }
};

// Never destroyed: a channel that still exists keeps all of gRPC.
KeptChannels& kept_channels() {
  static auto* kept = new KeptChannels();
  return *kept;
}

}  // namespace

void keep_grpc() {
  const std::lock_guard<std::mutex> lock(kept_channels().guard);
  if (!kept_channels().channels) kept_channels().channels.emplace();
}

struct GrpcControlClient::Link {
  Loop& loop;
  const std::string path;
  const std::string who;
  std::shared_ptr<grpc::Channel> channel;

  bool lasts() const { return path.empty(); }

  const std::shared_ptr<grpc::Channel>& connected() {
    if (channel) return channel;
    channel = local_channel(path);
    kept_channels().keep(channel);
    return channel;
  }

  template <typename Request, typename Response>
  Status call(Method<Request, Response> method, const Request& request, Response& response) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + kDeadline);
    Stub stub(connected());
    const grpc::Status result = (stub.*method)(&context, request, &response);
    const bool own = context.GetServerTrailingMetadata().count(kOwnStatus) != 0;
    // A channel that failed to connect would wait before it tries again.
    if (result.error_code() == grpc::StatusCode::UNAVAILABLE && !lasts()) channel.reset();
    return status_from(result, own, who);
  }

  template <typename Request>
  Status tell(Method<Request, wire::Done> method, const Request& request) {
    wire::Done done;
    return call(method, request, done);
  }

  template <typename Value, typename Request, typename Response>
  Result<Value> ask(Method<Request, Response> method, const Request& request) {
    Response response;
    if (const Status status = call(method, request, response); !status.ok()) return status;
    Status trouble;
    Value value = from_wire(response, trouble);
    if (!trouble.ok()) return trouble.with_context(who);
    return value;
  }
};

GrpcControlClient::GrpcControlClient(Loop& loop, std::string socket_path)
    : link_(new Link{loop, socket_path, "the controller at " + socket_path, nullptr}) {}

GrpcControlClient::GrpcControlClient(Loop& loop, UniqueFd connection, std::string who)
    : link_(new Link{loop, "", std::move(who), channel_over(connection.release())}) {
  kept_channels().keep(link_->channel);
}

GrpcControlClient::~GrpcControlClient() = default;

Result<JobView> GrpcControlClient::submit(const SubmitRequest& request) {
  return link_->ask<JobView>(&Stub::Submit, to_wire(request));
}

Result<std::vector<JobView>> GrpcControlClient::list(const ListRequest& wanted) {
  wire::ListRequest request;
  request.set_all(wanted.all);
  request.set_measure(wanted.measure);
  wire::ListReply reply;
  if (const Status status = link_->call(&Stub::List, request, reply); !status.ok()) return status;
  Status trouble;
  std::vector<JobView> jobs;
  for (const wire::JobView& job : reply.jobs()) jobs.push_back(from_wire(job, trouble));
  if (!trouble.ok()) return trouble.with_context(link_->who);
  return jobs;
}

Result<JobView> GrpcControlClient::describe(const DescribeRequest& wanted) {
  wire::DescribeRequest request;
  request.set_job(wanted.job);
  request.set_examine(wanted.examine);
  return link_->ask<JobView>(&Stub::Describe, request);
}

Status GrpcControlClient::stop(const std::string& job, int signal, Duration grace) {
  wire::StopRequest request;
  request.set_job(job);
  request.set_kill(signal == SIGKILL);
  request.set_signal(signal);
  request.set_grace_nanos(grace.count());
  return link_->tell(&Stub::Stop, request);
}

Result<JobView> GrpcControlClient::arrange(const ArrangeRequest& request) {
  return link_->ask<JobView>(&Stub::Arrange, to_wire(request));
}

Status GrpcControlClient::remove(const std::string& job) {
  wire::RemoveRequest request;
  request.set_job(job);
  return link_->tell(&Stub::Remove, request);
}

Result<Pruned> GrpcControlClient::prune(const PruneRequest& request) {
  return link_->ask<Pruned>(&Stub::Prune, to_wire(request));
}

Status GrpcControlClient::type(const TtyBytes& typed) { return link_->tell(&Stub::Type, to_wire(typed)); }

Status GrpcControlClient::note_code(const std::string& job, const std::string& commit) {
  wire::CodeNote note;
  note.set_job(job);
  note.set_commit(commit);
  return link_->tell(&Stub::NoteCode, note);
}

Result<ControllerInfo> GrpcControlClient::info() {
  return link_->ask<ControllerInfo>(&Stub::Info, wire::InfoRequest());
}

Result<uint32_t> GrpcControlClient::end_idle_agents() {
  wire::EndedIdleAgents ended;
  const Status status = link_->call(&Stub::EndIdleAgents, wire::EndIdleAgentsRequest(), ended);
  return status.ok() ? Result<uint32_t>(ended.count()) : Result<uint32_t>(status);
}

Status GrpcControlClient::shutdown(bool force) {
  wire::ShutdownRequest request;
  request.set_force(force);
  return link_->tell(&Stub::Shutdown, request);
}

std::unique_ptr<ExecChannel> GrpcControlClient::exec(const ExecStart& start) {
  std::shared_ptr<Stub> stub = wire::Control::NewStub(link_->connected());
  return open_exec(
      link_->loop, link_->who,
      [stub](grpc::ClientContext* context, grpc::CompletionQueue* queue) {
        return stub->PrepareAsyncExec(context, queue);
      },
      start);
}

std::unique_ptr<JobReadClient::Following> GrpcControlClient::follow(const FollowRequest& request,
                                                                    std::function<void(const FollowItem&)> on_item,
                                                                    std::function<void(const Status&)> on_end) {
  const auto stream = std::make_shared<FollowStream>(link_->loop, link_->who, link_->connected(),
                                                     FollowStream::Handlers{std::move(on_item), std::move(on_end)});
  stream->start(request);
  return std::make_unique<GrpcFollowing>(stream);
}

}  // namespace muster
