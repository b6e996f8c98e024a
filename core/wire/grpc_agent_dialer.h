// GrpcAgentDialer: an agent's way to its coordinator, behind a UNIX socket or a port of another machine, by gRPC
// (agent.proto).
//
// Loop thread only; the loop must outlive the dialer and its channels. gRPC's threads only post. A dial that finds
// nobody fails at once with unavailable; one that is not answered, after 10 s. A channel closes with unavailable
// when the coordinator leaves, with failed_precondition when it refuses our protocol, with resource_exhausted when
// 64 MiB wait to be sent. Destroying a channel drops what is queued; it waits, well below a millisecond, for
// gRPC's threads. Destroying the dialer ends a dial under way silently; its channels live on.
//
// A connected socket in place of a path (DESIGN.md §3) will enter here, by grpc::CreateInsecureChannelFromFd.
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

  // Between one channel and the next gRPC stays as it is, with its threads.
  struct Library {
    Library();
    ~Library();
  };

  Library library_;
  Loop& loop_;
  const std::function<std::shared_ptr<AgentStream>()> make_stream_;
  std::shared_ptr<AgentStream> pending_;
};

// Connections to one coordinator that many agents of one process share: each has a link of its own on one of them, and one thread serves
// all. It must outlive its dialers and their channels.
class SharedConnections {
 public:
  SharedConnections(Loop& loop, const TcpTarget& target, size_t count);
  ~SharedConnections();
  std::unique_ptr<GrpcAgentDialer> dialer();  // each on the next of the connections

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace muster
