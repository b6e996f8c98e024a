// SPDX-License-Identifier: Apache-2.0
// GrpcServer: the gRPC server of a controller or coordinator. On a UNIX socket it serves control.proto (by a ControlService) and
// agent.proto. At a TCP port for other hosts, or on connections that are passed to it, it serves only agent.proto.
//
// Loop thread only. Handlers and the service are called on the loop, which must outlive the server. gRPC's threads only post.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "core/base/result.h"
#include "core/port/agent_channel.h"
#include "core/port/control.h"
#include "core/port/loop.h"
#include "core/port/tcp_target.h"
#include "core/system/posix/unique_fd.h"

namespace muster {

class GrpcServer {
 public:
  // Serves on a new socket at `path`, mode 0600. An existing socket is replaced, so the caller must know that it is stale.
  // The umask of the process is changed while the socket is bound. `service` must outlive the server.
  // `on_agent` is called with each agent whose Hello has arrived and whose protocol is ours. Other protocols are refused with
  // failed_precondition and a message.
  //
  // An agent's channel closes with unavailable if the agent disconnects, with resource_exhausted if more than 64 MiB are queued,
  // and with unavailable in a later turn when the server is destroyed. It may outlive the server. After a channel was destroyed,
  // queued messages are still delivered for up to 5 s. The sink of a follow always queues an item while its viewer is
  // connected: `false` means that the window is now full.
  //
  // Fails with invalid_argument if the path is too long for a socket, otherwise with the system's error.
  static Result<std::unique_ptr<GrpcServer>> listen(Loop& loop, const std::string& path, ControlService& service,
                                                    std::function<void(ArrivedAgent)> on_agent);

  // Serves agents of other hosts at `here` (port 0: a free one). With TLS, only agents with a certificate signed by our authority
  // are served; without TLS, any agent. The controller cannot be reached there. unavailable: the port is taken.
  static Result<std::unique_ptr<GrpcServer>> listen_tcp(Loop& loop, const TcpTarget& here,
                                                        std::function<void(ArrivedAgent)> on_agent);
  bool is_here() const;    // of listen(): the path still leads to this server's socket
  uint16_t port() const;   // of listen_tcp()
  bool has_links() const;  // an agent is connected, or a command at the Unix socket, or was until a moment ago

  // Does not listen: serves agents on the connections that adopt() passes to it, such as `ssh HOST muster relay`
  // (docs/design/backends.md).
  static std::unique_ptr<GrpcServer> on_adopted(Loop& loop, std::function<void(ArrivedAgent)> on_agent);
  // `connection`: a connected, non-blocking socket. Agents on it get `peer` as their ArrivedAgent::peer, not what they claim. An
  // agent that sends nothing for 15 s is disconnected.
  void adopt(UniqueFd connection, const std::string& peer);

  // Ends every call with unavailable, waits up to 0.5 s for peers to receive that, joins gRPC's threads, and removes the socket if it is still
  // this server's.
  ~GrpcServer();
  GrpcServer(const GrpcServer&) = delete;
  GrpcServer& operator=(const GrpcServer&) = delete;

 private:
  struct Parts;
  explicit GrpcServer(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace muster
