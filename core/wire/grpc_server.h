// GrpcServer: a controller's (or coordinator's) socket: control.proto in front of a ControlService and
// agent.proto's link, by gRPC over a UNIX socket; or agent.proto's link alone, at a port for other hosts or on connections that somebody
// else made. It serves; it decides nothing.
//
// Loop thread only; handlers and the service run on the loop, which must outlive the server. gRPC's own threads
// only post.
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
  // Serves on a new socket at `path`, mode 0600. A socket that lies there is replaced, so hold the lock that says
  // it is stale; the process's umask is changed for the moment of binding. `service` must outlive the server.
  // `on_agent` gets each agent once its hello has come and its protocol is ours; others are refused with a
  // sentence (failed_precondition).
  //
  // A channel handed over: closes with unavailable when the agent leaves, with resource_exhausted when 64 MiB wait
  // to be sent, and with unavailable in a later turn when the server is destroyed; it may outlive the server.
  // Destroying one still delivers what was sent before, for up to 5 s. A follow's sink always queues what is
  // written while its viewer is there: `false` says that the window is full now.
  //
  // Fails with invalid_argument for a path too long for a socket, else with what the system says.
  static Result<std::unique_ptr<GrpcServer>> listen(Loop& loop, const std::string& path, ControlService& service,
                                                    std::function<void(ArrivedAgent)> on_agent);

  // Serves agents of other hosts at `here` (port 0: a free one), with TLS those whose certificate our authority signed,
  // else whoever comes. Nothing of a controller is to be reached there. unavailable: the port is taken.
  static Result<std::unique_ptr<GrpcServer>> listen_tcp(Loop& loop, const TcpTarget& here,
                                                        std::function<void(ArrivedAgent)> on_agent);
  uint16_t port() const;   // of listen_tcp()
  bool has_links() const;  // the same: somebody is connected, or was until a moment ago

  // Listens nowhere: serves agents on the connections that adopt() hands it (DESIGN.md §3: the near end of `ssh HOST muster relay`).
  static std::unique_ptr<GrpcServer> on_adopted(Loop& loop, std::function<void(ArrivedAgent)> on_agent);
  // `connection`: a connected socket, non-blocking. Agents that come over it have `peer` as their ArrivedAgent::peer, whatever they say.
  // One that says nothing for 15 s is given up.
  void adopt(UniqueFd connection, const std::string& peer);

  // Ends every call with unavailable, waits up to half a second for peers to take that, joins gRPC's threads,
  // removes the socket.
  ~GrpcServer();
  GrpcServer(const GrpcServer&) = delete;
  GrpcServer& operator=(const GrpcServer&) = delete;

 private:
  struct Parts;
  explicit GrpcServer(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace muster
