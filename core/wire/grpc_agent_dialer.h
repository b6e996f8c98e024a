// SPDX-License-Identifier: Apache-2.0
// GrpcAgentDialer: connects an agent to its coordinator by gRPC (agent.proto), at a UNIX socket or at a port of another machine.
//
// Loop thread only; the loop must outlive the dialer and its channels. gRPC's threads only post.
//
// A dial fails with unavailable: at once if nothing listens, after 10 s if nothing answers. A channel closes with unavailable if
// the coordinator disconnects, with failed_precondition if it refuses our protocol, and with resource_exhausted if more than
// 64 MiB are queued. Destroying a channel drops queued messages and waits (well below 1 ms) for gRPC's threads. Destroying the
// dialer cancels its dial without a call of `done`; its channels stay open.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "core/port/agent_channel.h"
#include "core/port/loop.h"
#include "core/port/tcp_target.h"

namespace muster {

class AgentStream;

class GrpcAgentDialer final : public CoordinatorDialer {
 public:
  GrpcAgentDialer(Loop& loop, std::string socket_path);
  GrpcAgentDialer(Loop& loop, TcpTarget target);
  ~GrpcAgentDialer() override;

  void dial(std::function<void(Result<std::unique_ptr<ChannelToCoordinator>>)> done) override;

 private:
  friend class SharedConnections;
  GrpcAgentDialer(Loop& loop, std::function<std::shared_ptr<AgentStream>()> make_stream)
      : loop_(loop),
        make_stream_(std::move(make_stream)) {}

  // Keeps gRPC and its threads running between one channel and the next.
  struct Library {
    Library();
    ~Library();
  };

  Library library_;
  Loop& loop_;
  const std::function<std::shared_ptr<AgentStream>()> make_stream_;
  std::shared_ptr<AgentStream> pending_;
};

// Connections to one coordinator that many agents in one process share. Each agent has its own link on one of the connections,
// and one thread serves all. It must outlive its dialers and their channels.
class SharedConnections {
 public:
  SharedConnections(Loop& loop, const TcpTarget& target, size_t count);
  ~SharedConnections();
  std::unique_ptr<GrpcAgentDialer> dialer();  // each uses the next connection

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace muster
