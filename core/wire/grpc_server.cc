// SPDX-License-Identifier: Apache-2.0
#include "core/wire/grpc_server.h"

#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server.h>
#include <grpcpp/server_posix.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <map>
#include <optional>
#include <utility>

#include "core/base/unix_socket.h"
#include "core/wire/control_calls.h"
#include "core/wire/served_agent.h"
#include "core/wire/settings.h"
#include "proto/agent.grpc.pb.h"

namespace muster {
namespace {

constexpr auto kShutdownDelay = std::chrono::milliseconds(500);

class Umask {
 public:
  explicit Umask(mode_t mask) : before_(umask(mask)) {}
  ~Umask() { umask(before_); }
  Umask(const Umask&) = delete;
  Umask& operator=(const Umask&) = delete;

 private:
  const mode_t before_;
};

// gRPC does not report why it could not bind. This binds in the same way to get the error.
Status why_not_bound(const std::string& path) {
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return errno_status(errno, "cannot make a socket");
  const int result = bind_unix(fd, path);
  const int error = errno;
  close(fd);
  if (result != 0) return errno_status(error, "cannot listen on " + path);
  unlink(path.c_str());
  return Status(Code::internal, "gRPC cannot listen on " + path);
}

}  // namespace

// Members are destroyed in reverse order: the completion thread of the calls first. The server must be shut down before that.
struct GrpcServer::Parts {
  wire::Control::AsyncService control;
  wire::AgentLink::AsyncService agents;
  std::unique_ptr<grpc::Server> server;
  std::optional<LiveCalls> calls;
  int port = 0;
  size_t ready = 1;                            // calls that wait for a peer
  std::string path;                            // of listen()
  FileMark mark;                               // of the socket there
  std::map<std::string, std::string> adopted;  // the peer of each adopted connection, by gRPC's name for it
};

namespace {

// gRPC's name for an adopted connection (grpc_server_add_channel_from_fd).
std::string name_of(int fd) { return "fd:" + std::to_string(fd); }

}  // namespace

Result<std::unique_ptr<GrpcServer>> GrpcServer::listen(Loop& loop, const std::string& path, ControlService& service,
                                                       std::function<void(ArrivedAgent)> on_agent) {
  MUSTER_CHECK(on_agent != nullptr);
  if (const Status problem = check_socket_path(path); !problem.ok()) return problem;
  quiet_grpc();
  auto parts = std::make_unique<Parts>();
  grpc::ServerBuilder builder;
  apply_server_settings(builder);
  // gRPC binds and removes this name only. So a client that finds the socket at `path` finds a listener, and the end of this
  // server does not remove the socket of another.
  const std::string fresh = unbound_name(path);
  builder.AddListeningPort(unix_target(fresh), grpc::InsecureServerCredentials());
  builder.RegisterService(&parts->control);
  builder.RegisterService(&parts->agents);
  parts->calls.emplace(loop, builder.AddCompletionQueue());
  {
    const Umask owner_only(0177);
    parts->server = builder.BuildAndStart();
  }
  if (parts->server == nullptr) return why_not_bound(fresh);
  parts->mark = mark_of(fresh);
  if (rename(fresh.c_str(), path.c_str()) != 0) return errno_status(errno, "cannot listen on " + path);
  parts->path = path;
  serve_control(*parts->calls, parts->control, service);
  ServedAgent::accept(*parts->calls, parts->agents, std::move(on_agent));
  parts->ready = parts->calls->size();
  return std::unique_ptr<GrpcServer>(new GrpcServer(std::move(parts)));
}

Result<std::unique_ptr<GrpcServer>> GrpcServer::listen_tcp(Loop& loop, const TcpTarget& here,
                                                           std::function<void(ArrivedAgent)> on_agent) {
  quiet_grpc();
  auto parts = std::make_unique<Parts>();
  grpc::ServerBuilder builder;
  apply_tcp_server_settings(builder);
  // Without a scheme, as the server's side of gRPC expects.
  builder.AddListeningPort(here.text(), server_credentials(here.tls), &parts->port);
  builder.RegisterService(&parts->agents);
  parts->calls.emplace(loop, builder.AddCompletionQueue());
  parts->server = builder.BuildAndStart();
  if (parts->server == nullptr || parts->port == 0) {
    return Status(Code::unavailable, "cannot listen at " + here.text());
  }
  ServedAgent::accept(*parts->calls, parts->agents, std::move(on_agent));
  return std::unique_ptr<GrpcServer>(new GrpcServer(std::move(parts)));
}

std::unique_ptr<GrpcServer> GrpcServer::on_adopted(Loop& loop, std::function<void(ArrivedAgent)> on_agent) {
  quiet_grpc();
  auto parts = std::make_unique<Parts>();
  grpc::ServerBuilder builder;
  apply_adopting_server_settings(builder);
  builder.RegisterService(&parts->agents);
  parts->calls.emplace(loop, builder.AddCompletionQueue());
  parts->server = builder.BuildAndStart();
  MUSTER_CHECK(parts->server != nullptr);
  ServedAgent::accept(*parts->calls, parts->agents, [on_agent, parts = parts.get()](ArrivedAgent agent) {
    const auto known = parts->adopted.find(agent.peer);
    agent.peer = known == parts->adopted.end() ? "" : known->second;
    on_agent(std::move(agent));
  });
  return std::unique_ptr<GrpcServer>(new GrpcServer(std::move(parts)));
}

// The number of a descriptor is reused only after gRPC has closed its connection, so no new agent comes over the old one.
void GrpcServer::adopt(UniqueFd connection, const std::string& peer) {
  parts_->adopted[name_of(connection.get())] = peer;
  grpc::AddInsecureChannelFromFd(parts_->server.get(), connection.release());
}

bool GrpcServer::is_here() const { return mark_of(parts_->path) == parts_->mark; }

uint16_t GrpcServer::port() const { return static_cast<uint16_t>(parts_->port); }

bool GrpcServer::has_links() const { return parts_->calls->size() > parts_->ready; }

GrpcServer::GrpcServer(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

GrpcServer::~GrpcServer() {
  if (!parts_->path.empty() && is_here()) unlink(parts_->path.c_str());
  parts_->calls->abandon_all();
  // Cancels the remaining calls at the deadline.
  parts_->server->Shutdown(std::chrono::system_clock::now() + kShutdownDelay);
  parts_->calls->forget_all();
}

}  // namespace muster
