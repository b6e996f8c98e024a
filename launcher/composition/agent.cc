// SPDX-License-Identifier: Apache-2.0
// `muster agent`: runs the guardian and the agent of one node.

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <iostream>

#include "backends/ssh/relay/link_place.h"
#include "core/agent/agent.h"
#include "core/client/connect/paths.h"
#include "core/node/files/files_service.h"
#include "core/node/mpi/mpi_program_search.h"
#include "core/node/pmi/pmi_service.h"
#include "core/node/pmix/pmix_service.h"
#include "core/node/program/program_service.h"
#include "core/node/torch_store/tcp_store_host.h"
#include "core/node/torch_store/torch_store_service.h"
#include "core/node/warm/warm_process_host.h"
#include "core/node/warm/warm_service.h"
#include "core/system/asio/asio_loop.h"
#include "core/system/linux/container/linux_container_host.h"
#include "core/system/linux/examine/linux_rank_probe.h"
#include "core/system/linux/exec/linux_exec_host.h"
#include "core/system/linux/host_addresses.h"
#include "core/system/linux/host_name.h"
#include "core/system/linux/linux_timer_pipe.h"
#include "core/system/linux/pidfd.h"
#include "core/system/linux/proc_files.h"
#include "core/system/linux/process/guardian.h"
#include "core/system/linux/process/linux_leftover_host.h"
#include "core/system/linux/process/linux_process_host.h"
#include "core/system/machine/linux_machine_leases.h"
#include "core/system/posix/shared_memory_notes.h"
#include "core/system/store/file_setup_place.h"
#include "core/system/store/output/file_output_files.h"
#include "core/system/store/output/file_output_keeper.h"
#include "core/wire/grpc_agent_dialer.h"
#include "core/wire/worker/worker_socket.h"
#include "launcher/composition/agent_place.h"
#include "launcher/composition/hosting.h"
#include "launcher/composition/wire.h"

namespace muster {
namespace {

// Grace time of the ranks after the guardian's death.
constexpr Duration kGuardianGrace = std::chrono::seconds(2);
constexpr Duration kRefreshEvery = std::chrono::hours(1);
// The time in which a job that lost a link has a new one: an agent retries at least every few seconds.
constexpr Duration kInsidePatience = std::chrono::seconds(60);
constexpr int kCommandsEndMs = 300;  // a guardian may also die alone, and its command lives on

AgentSelf self_of(const CallerContext& caller, const std::string& socket) {
  AgentSelf self = agent_self(caller);
  self.folder = host_folder(caller);
  if (is_link(socket)) {
    self.programs.environment = caller.environment;
    self.programs.nics = nics_by_address();
  }
  return self;
}

AgentSelf after(AgentSelf self, const std::string& warm) {
  self.incarnation = Random(self.incarnation).next() | 1;
  self.returned = true;
  self.warm = warm;
  return self;
}

std::string folder_of(const std::string& socket) { return socket.substr(0, socket.rfind('/')); }

// The folders that ranks in a container share with their agent: sockets, output and libmuster.
std::vector<std::string> shared_with_containers(const AgentPlace& place) {
  std::error_code ignored;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
  return {folder_of(place.socket), place.folder, program / "lib", program.parent_path() / "lib/muster"};
}

PmixPlace pmix_place(const AgentPlace& place) {
  const std::string folder = mpi_folder(place.socket, getppid());
  return {place.program, folder, mpi_shared_folder(folder), host_name()};
}

}  // namespace

AgentSelf agent_self(const CallerContext& caller) {
  Random random(caller.seed ^ static_cast<uint64_t>(getpid()));
  AgentSelf self;
  self.incarnation = random.next() | 1;
  if (caller.loader.empty()) self.programs.program = caller.program;
  self.guardian = {getppid(), start_ticks(getppid()).value_or(0)};
  self.process = {getpid(), start_ticks(getpid()).value_or(0)};
  self.host = host_name();
  self.binary_hash = binary_hash(caller);
  return self;
}

std::optional<Dismiss> run_agent(const AgentPlace& place, int guardian_gone_fd) {
  AsioLoop loop(ClockSource::boottime);  // a node lease also expires while the host sleeps (docs/design/liveness.md)
  NullLog log;
  const std::optional<DelegatedCgroup> cgroup = DelegatedCgroup::find();
  if (cgroup) cgroup->end_left_behind();  // of an agent that died together with its guardian
  LinuxProcessHost executed(loop, log, Orphans::adopted, cgroup);
  if (place.terminals != nullptr) executed.keep_terminals(*place.terminals);
  WarmImports imports(loop, executed, log, {warm_folder(place.socket, getppid()), place.lessons});
  WarmProcessHost host(executed, imports);
  LinuxLeftoverHost leftovers(executed);
  FileOutputFiles output(place.folder, loop, {".times", ".order"});  // the agent writes both itself
  FileOutputKeeper keeper;
  LinuxMachineLeases leases(place.leases);
  const std::unique_ptr<CoordinatorDialer> dialer = place.dialer(loop);
  TcpStoreHost stores;
  LinuxRankProbe probe(loop);
  LinuxExecHost execs(loop, executed);
  WorkerSocket door(loop, worker_socket_path(place.socket, getppid()));
  LinuxTimerPipe timers(loop, timer_pipe_path(place.socket, getppid()));
  FileSetupPlace setups(place.folder, host_name());
  LinuxContainerHost containers(loop, container_folder(place.socket, getppid()), shared_with_containers(place));
  MpiProgramSearch programs(loop);
  // In the order in which they start: each service sees the variables that earlier ones set for the ranks.
  const auto services = [&] {
    NodeServiceList list;
    list.push_back(std::make_unique<TorchStoreService>(TorchStorePorts{loop, stores, log}, host_name()));
    list.push_back(std::make_unique<PmixService>(loop, executed, programs, pmix_place(place)));
    list.push_back(std::make_unique<PmiService>(loop, programs, pmix_place(place).folder, host_name()));
    list.push_back(std::make_unique<FilesService>());
    list.push_back(std::make_unique<ProgramService>(loop, executed, host_name()));
    list.push_back(std::make_unique<WarmService>(loop, imports));
    return list;
  };
  const AgentPorts ports{loop,  host,  leftovers, output, keeper,     leases, *dialer, door,
                         probe, execs, timers,    setups, containers, log,    services};
  std::unique_ptr<Agent> agent;
  // Agents run one after the other in this process. The next one takes over the warm imports.
  const std::function<void(AgentSelf)> begin = [&](const AgentSelf& self) {
    agent = std::make_unique<Agent>(ports, self, [&, self](bool kept) {
      remove_dead_links(folder_of(place.socket), true);  // of agents inside the job (muster mpirun) that ended with it
      if (!kept) return loop.stop();
      loop.post([&, self] { begin(after(self, imports.warm())); });
    });
    agent->start();
  };
  std::unique_ptr<LoopWatch> guardian = loop.watch_readable(guardian_gone_fd, [&] {
    loop.post([&] { guardian.reset(); });  // the descriptor stays readable, so the watch must end
    agent->drain(kGuardianGrace, "its guardian died");
  });
  for (const int number : {SIGTERM, SIGINT}) loop.on_signal(number, [&] { place.drain(*agent); });
  const std::function<void()> refresh = [&] {
    place.refresh();
    loop.at(loop.now() + kRefreshEvery, refresh);
  };
  refresh();
  AgentSelf self = place.self();
  self.program = place.program;
  begin(self);
  loop.run();
  return agent->dismissed();
}

void remove_left_by_agent(const std::string& socket, int64_t guardian) {
  remove_worker_sockets(socket, guardian);
  unlink(timer_pipe_path(socket, guardian).c_str());
  remove_left_containers(container_folder(socket, guardian));
  remove_dead_links(folder_of(socket), true);
  std::error_code error;
  const std::string mpi = mpi_folder(socket, guardian);
  for (const std::string& folder : {warm_folder(socket, guardian), mpi_shared_folder(mpi)})
    std::filesystem::remove_all(folder, error);
  remove_with_shared_memory(mpi);  // last: if this is interrupted, the next one finds by it what is in shared memory
}

// The guardian dies with a command that runs its own controller (muster torchrun, run --standalone). If that was killed, its socket
// and leases remain. The kernel may still be closing its files, so this waits a moment.
void remove_left_by_command(const AgentPlace& place, int command) {
  pollfd ended{command, POLLIN, 0};
  poll(&ended, 1, kCommandsEndMs);
  remove_stale_sockets(folder_of(place.socket));
  remove_dead_leases(place.leases);
}

int agent_main(const CallerContext& caller, const std::string& socket, bool inside) {
  std::signal(SIGHUP, SIG_IGN);
  enter_link_place(socket);
  AgentPlace place;
  place.socket = socket;
  place.folder = host_folder(caller);
  place.lessons = lessons_folder(caller);
  // With a loader of its own, /proc/self/exe is the loader.
  if (!caller.loader.empty()) place.program = words_of_program(caller);
  place.dialer = [&](FdLoop& loop) { return std::make_unique<GrpcAgentDialer>(loop, socket); };
  place.self = [&] {
    AgentSelf self = self_of(caller, socket);
    if (inside) self.patience = kInsidePatience;
    return self;
  };
  place.refresh = [&] { refresh_link_place(socket); };
  KeptTerminals terminals;
  place.terminals = &terminals;
  const pid_t guardian = getpid();
  const UniqueFd command = open_pidfd(getppid());
  const auto agent = [&](int guardian_gone_fd) {
    run_agent(place, guardian_gone_fd);
    if (getppid() != guardian) remove_left_by_command(place, command.get());
    return 0;
  };
  const int code = run_guarded(agent, &terminals);
  // An agent that was killed leaves its sockets, its pipe and the cgroups of its ranks. An agent that exited may leave the cgroup of a
  // warm parent that ended later.
  remove_left_by_agent(socket, getpid());
  if (const auto cgroup = DelegatedCgroup::find()) cgroup->end_left_behind();
  leave_link_place(socket, code);
  return code;
}

}  // namespace muster
