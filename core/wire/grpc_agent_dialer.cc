// SPDX-License-Identifier: Apache-2.0
#include "core/wire/grpc_agent_dialer.h"

#include <grpc/grpc.h>

#include <utility>
#include <vector>

#include "core/wire/agent_stream.h"
#include "core/wire/settings.h"

namespace muster {
namespace {

class GrpcChannelToCoordinator final : public ChannelToCoordinator {
 public:
  explicit GrpcChannelToCoordinator(std::shared_ptr<AgentStream> stream) : stream_(std::move(stream)) {}
  ~GrpcChannelToCoordinator() override { stream_->close(); }
  void send(const AgentMessage& message) override { stream_->send(message); }
  void listen(std::function<void(const CoordinatorMessage&)> on_message,
              std::function<void(const Status&)> on_closed) override {
    stream_->listen(std::move(on_message), std::move(on_closed));
  }

 private:
  std::shared_ptr<AgentStream> stream_;
};

}  // namespace

GrpcAgentDialer::Library::Library() { grpc_init(); }
GrpcAgentDialer::Library::~Library() { grpc_shutdown(); }

GrpcAgentDialer::GrpcAgentDialer(Loop& loop, std::string socket_path)
    : loop_(loop),
      make_stream_([this, path = std::move(socket_path)] {
        return std::make_shared<AgentStream>(loop_, "the coordinator at " + path, local_channel(path));
      }) {}

GrpcAgentDialer::GrpcAgentDialer(Loop& loop, TcpTarget target)
    : loop_(loop),
      make_stream_([this, target = std::move(target)] {
        return std::make_shared<AgentStream>(loop_, target.text(), tcp_channel(target));
      }) {}

struct SharedConnections::Parts {
  Loop& loop;
  const std::string who;
  std::vector<std::shared_ptr<grpc::Channel>> channels;
  size_t next = 0;
  CompletionThread thread{loop, std::make_unique<grpc::CompletionQueue>()};
};

SharedConnections::SharedConnections(Loop& loop, const TcpTarget& target, size_t count)
    : parts_(new Parts{loop, target.text(), {}}) {
  for (size_t i = 0; i < count; ++i) parts_->channels.push_back(tcp_channel(target));
}

SharedConnections::~SharedConnections() = default;

std::unique_ptr<GrpcAgentDialer> SharedConnections::dialer() {
  const std::shared_ptr<grpc::Channel> channel = parts_->channels[parts_->next++ % parts_->channels.size()];
  const auto make = [parts = parts_.get(), channel] {
    return std::make_shared<AgentStream>(parts->thread, parts->who, channel);
  };
  return std::unique_ptr<GrpcAgentDialer>(new GrpcAgentDialer(parts_->loop, make));
}

GrpcAgentDialer::~GrpcAgentDialer() {
  if (pending_) pending_->close();
}

void GrpcAgentDialer::dial(std::function<void(Result<std::unique_ptr<ChannelToCoordinator>>)> done) {
  MUSTER_CHECK(!pending_);
  pending_ = make_stream_();
  pending_->start([this, done = std::move(done)](const Status& status) {
    const auto stream = std::exchange(pending_, nullptr);
    if (!status.ok()) {
      stream->close();
      return done(status);
    }
    done(std::unique_ptr<ChannelToCoordinator>(std::make_unique<GrpcChannelToCoordinator>(stream)));
  });
}

}  // namespace muster
