// SPDX-License-Identifier: Apache-2.0
#include "launcher/composition/hosting.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "core/base/unix_socket.h"
#include "core/client/connect/paths.h"
#include "core/client/service_environment.h"
#include "core/system/linux/process/process_limits.h"
#include "core/system/linux/runtime_folder.h"

namespace muster {
namespace {

// The interval between checks that the socket and the locks still exist.
constexpr Duration kWatchPeriod = std::chrono::seconds(2);

LocalAgentCommand agent_command(const CallerContext& caller, const HostingChoice& choice) {
  LocalAgentCommand command;
  command.argv = words_of_program(caller);
  command.argv.insert(command.argv.end(), {"agent", "--socket", choice.socket});
  command.environment = service_environment(caller.environment);
  command.dies_with_us = choice.standalone;
  command.longest_wait = choice.warm_idle;
  const std::string runtime = choice.socket.substr(0, choice.socket.rfind('/'));
  command.clear_after_crash = [runtime] { remove_stale_sockets(runtime); };
  return command;
}

ControllerSelf self_of(const CallerContext& caller, const HostingChoice& choice, TimePoint now) {
  ControllerSelf self;
  self.info.version = caller.version;
  self.info.binary_hash = binary_hash(caller);
  self.info.pid = getpid();
  self.info.started = now;
  self.info.state_folder = choice.state;
  self.info.means = caller.means;
  self.linger = !choice.standalone;
  self.answers_at_once = choice.standalone || choice.typed || choice.pods;
  self.idle = choice.idle;
  self.warm_idle = choice.warm_idle;
  self.retention = choice.retention;
  self.seed = caller.seed;
  return self;
}

}  // namespace

Result<std::unique_ptr<Hosting>> Hosting::open(const CallerContext& caller, FdLoop& loop, const HostingChoice& choice,
                                               std::function<void()> leave) {
  if (const Status room = has_room_for_controller(); !room.ok()) return room;
  Result<std::unique_ptr<FileJobStore>> store = FileJobStore::open(choice.state);
  if (!store.ok()) return store.status();
  std::unique_ptr<Hosting> hosting(new Hosting(loop));
  hosting->socket_ = choice.socket;
  hosting->lock_ = choice.lock;
  hosting->leave_ = leave;
  hosting->store_ = std::move(*store);
  hosting->log_ = std::make_unique<SpdLog>(choice.state + "/log", choice.standalone ? "standalone" : "controller");
  hosting->output_ = std::make_unique<FileOutputFiles>(choice.state, loop);
  hosting->processes_ = std::make_unique<LinuxProcessHost>(loop, *hosting->log_, Orphans::ignored, std::nullopt);
  hosting->machine_ = std::make_unique<LinuxMachineInfo>(*hosting->log_);
  hosting->leases_ = std::make_unique<LinuxMachineLeases>();
  hosting->backend_ = std::make_unique<LocalBackend>(
      LocalBackendPorts{loop, *hosting->processes_, *hosting->machine_, *hosting->leases_},
      agent_command(caller, choice));
  if (choice.typed) {
    hosting->typed_ =
        std::make_unique<TypedBackend>(loop, hosting->backend_->parts(), choice.typed->first, choice.typed->last_call,
                                       choice.typed->changed, choice.typed->missed);
  }
  const Backend nodes = hosting->typed_ ? hosting->typed_->parts() : hosting->backend_->parts();
  hosting->ssh_ = std::make_unique<SshHosting>(caller, loop, *hosting->log_, choice.links);
  Backends backends = Backends(nodes).with(BackendKind::ssh, hosting->ssh_->backend().parts());
  if (choice.pods) hosting->pods_ = std::make_unique<PodBackend>(loop);
  hosting->controller_ = std::make_unique<Controller>(
      ControllerPorts{
          loop, choice.pods ? std::move(backends).with(BackendKind::kubernetes, hosting->pods_->parts()) : backends,
          *hosting->store_, *hosting->output_, hosting->keeper_, *hosting->log_},
      self_of(caller, choice, loop.now()), std::move(leave));
  hosting->ssh_->backend().on_returned(
      [controller = hosting->controller_.get()](ArrivedAgent agent) { controller->agent_returned(std::move(agent)); });
  if (const Status listening = hosting->listen(); !listening.ok()) return listening;
  if (choice.typed) {
    const Status open = hosting->open_door(
        choice.typed->here, [self = hosting.get()](ArrivedAgent agent) { self->typed_arrived(std::move(agent)); });
    if (!open.ok()) return open;
  }
  if (choice.pods) {
    hosting->pods_->on_returned([controller = hosting->controller_.get()](ArrivedAgent agent) {
      controller->agent_returned(std::move(agent));
    });
    const Status open = hosting->open_door(choice.pods->here, [pods = hosting->pods_.get()](ArrivedAgent agent) {
      pods->agent_arrived(std::move(agent));
    });
    if (!open.ok()) return open;
  }
  if (!choice.standalone) hosting->controller_->recover();
  hosting->watch_files();
  return hosting;
}

Hosting::~Hosting() { loop_.cancel(watch_timer_); }

// Links to an earlier server stay as they are.
Status Hosting::listen() {
  std::erase_if(earlier_, [](const auto& server) { return !server->has_links(); });
  Result<std::unique_ptr<GrpcServer>> server =
      GrpcServer::listen(loop_, socket_, *controller_, [this](ArrivedAgent agent) {
        if (controller_->hosts(agent.hello)) return controller_->agent_returned(std::move(agent));
        backend_->agent_arrived(std::move(agent));
      });
  if (!server.ok()) return server.status();
  if (server_) earlier_.push_back(std::move(server_));
  server_ = std::move(*server);
  return Status();
}

Status Hosting::open_door(const TcpTarget& here, std::function<void(ArrivedAgent)> arrived) {
  auto door = GrpcServer::listen_tcp(loop_, here, std::move(arrived));
  if (!door.ok()) return door.status();
  door_ = std::move(*door);
  return Status();
}

void Hosting::typed_arrived(ArrivedAgent agent) {
  // Agents of this machine use the Unix socket, not this port.
  if (agent.hello.offer && controller_->hosts(agent.hello)) return controller_->agent_returned(std::move(agent));
  typed_->agent_arrived(std::move(agent));
}

void Hosting::watch_files() {
  renew_locks();
  if (!server_->is_here() && !has_listener(socket_)) restore_socket();
  watch_timer_ = loop_.at(next_whole(loop_.now(), kWatchPeriod), [this] { watch_files(); });
}

// Listens again if the socket was deleted, as cleaners of /tmp do. Without the socket no command would find this controller.
void Hosting::restore_socket() {
  const std::string folder = socket_.substr(0, socket_.rfind('/'));
  Status again = access(folder.c_str(), F_OK) == 0 ? Status() : make_private_folder(folder);
  if (again.ok()) again = listen();
  log_->warning(again.ok() ? "the socket was deleted; listening again" : "the socket was deleted: " + again.message());
}

// If another process has taken a lock after its file was deleted, two processes would decide about the same jobs. This one ends; the
// jobs continue, and the other one takes them over.
void Hosting::renew_locks() {
  const bool hosts = store_->renew_ownership();
  if (lock_ == nullptr || !leave_) return;
  const Status locked = lock_->renew();
  if (hosts && locked.code() != Code::failed_precondition) return;
  log_->error((hosts ? locked.message() : "another process has taken over a job of this one") + "; ending");
  loop_.post(std::exchange(leave_, nullptr));
}

}  // namespace muster
