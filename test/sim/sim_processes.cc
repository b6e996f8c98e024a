// SPDX-License-Identifier: Apache-2.0
#include "test/sim/sim_processes.h"

#include <csignal>

namespace muster::sim {
namespace {

// The time that the kernel needs to end a process.
constexpr Duration kDeath = std::chrono::milliseconds(1);

Launch launch_of(const SpawnRequest& request) {
  Launch launch;
  for (const std::string& variable : request.environment) {
    const size_t equals = variable.find('=');
    launch.environment[variable.substr(0, equals)] = variable.substr(equals + 1);
  }
  const auto number = [&](const std::string& name) {
    return static_cast<uint32_t>(std::strtoul(launch.environment[name].c_str(), nullptr, 10));
  };
  launch.job = launch.environment["MUSTER_JOB_NAME"];
  launch.job_id = launch.environment["MUSTER_JOB_ID"];
  launch.group = launch.environment["MUSTER_GROUP"];
  launch.world_size = number("MUSTER_WORLD_SIZE");
  launch.index = number("MUSTER_INDEX");
  launch.attempt = number("MUSTER_ATTEMPT");
  launch.rank = number("MUSTER_RANK");
  launch.node = number("MUSTER_NODE");
  launch.settings = request.settings;
  return launch;
}

std::string key_of(const Launch& launch) {
  return launch.job_id + " attempt " + std::to_string(launch.attempt) + " rank " + std::to_string(launch.index);
}

}  // namespace

ExitStatus exited_with(int code) {
  ExitStatus exit;
  exit.code = code;
  return exit;
}

ExitStatus killed_by(int signal) {
  ExitStatus exit;
  exit.kind = ExitStatus::Kind::signalled;
  exit.signal = signal;
  return exit;
}

void SimProcesses::tell(const std::string& what, ProcessHandle handle, const Process& process) const {
  if (watcher_) watcher_(what, handle, process);
}

Result<ProcessHandle> SimProcesses::spawn(uint64_t agent, SimHost& host, const SpawnRequest& request,
                                          ExitHandler on_exit) {
  Process process;
  process.launch = launch_of(request);
  process.agent = agent;
  process.host = &host;
  process.stdout_path = request.stdout_path;
  process.on_exit = std::move(on_exit);
  process.program = script_(process.launch);
  if (!process.program.spawn.ok()) {
    tell("refused", 0, process);
    return process.program.spawn;
  }
  const ProcessHandle handle = ++last_;
  ++started_[key_of(process.launch)];
  launches_.push_back(process.launch);
  process.end = host.kernel->at(host.kernel->now() + process.program.runs,
                                [this, handle, exit = process.program.exit] { end(handle, exit); });
  const auto placed = alive_.emplace(handle, std::move(process)).first;
  tell("spawn", handle, placed->second);
  return handle;
}

void SimProcesses::signal(ProcessHandle handle, int number) {
  const auto found = alive_.find(handle);
  if (found == alive_.end()) return;
  Process& process = found->second;
  signals_[handle].push_back(number);
  if (number != SIGKILL && process.program.ignores_term) return;
  const Duration after = number == SIGKILL ? kDeath : std::max(kDeath, process.program.dies_slowly);
  HostLoop& kernel = *process.host->kernel;
  kernel.cancel(process.end);
  process.end = kernel.at(kernel.now() + after, [this, handle, number] { end(handle, killed_by(number)); });
}

void SimProcesses::end(ProcessHandle handle, const ExitStatus& exit) {
  auto ended = alive_.extract(handle);
  if (ended.empty()) return;
  Process& process = ended.mapped();
  HostLoop& kernel = *process.host->kernel;
  kernel.cancel(process.end);
  tell("exit", handle, process);
  for (uint32_t i = 0; i < process.program.daemons; ++i) {
    Process daemon = process;
    daemon.daemon = true;
    daemon.program.daemons = 0;
    daemon.on_exit = [this, agent = process.agent](const ExitStatus&) {
      if (const auto handler = daemon_ended_.find(agent); handler != daemon_ended_.end()) handler->second();
    };
    daemon.end = 0;
    alive_.emplace(++last_, std::move(daemon));
  }
  if (process.on_exit) kernel.post([handler = std::move(process.on_exit), exit] { handler(exit); });
}

template <typename Ends>
uint32_t SimProcesses::end_if(Ends ends) {
  uint32_t ended = 0;
  for (auto next = alive_.begin(); next != alive_.end();) {
    auto here = next++;
    if (!ends(here->first, here->second)) continue;
    here->second.host->kernel->cancel(here->second.end);
    tell("swept", here->first, here->second);
    alive_.erase(here);
    ++ended;
  }
  return ended;
}

uint32_t SimProcesses::sweep(uint64_t agent, const std::set<int64_t>& spared) {
  return end_if([&](ProcessHandle handle, const Process& process) {
    return process.agent == agent && process.daemon && !spared.contains(static_cast<int64_t>(handle));
  });
}

void SimProcesses::end_all(uint64_t agent) {
  daemon_ended_.erase(agent);
  end_if([&](ProcessHandle, const Process& process) { return process.agent == agent; });
}

void SimProcesses::on_daemon_end(uint64_t agent, std::function<void()> handler) {
  daemon_ended_.erase(agent);
  if (handler) daemon_ended_[agent] = std::move(handler);
}

const std::vector<int>& SimProcesses::signals_of(ProcessHandle process) const {
  static const std::vector<int> kNone;
  const auto found = signals_.find(process);
  return found == signals_.end() ? kNone : found->second;
}

// The agent's own loop runs the handler, and does not if the agent has ended.
Result<ProcessHandle> SimProcessHost::spawn(const SpawnRequest& request, ExitHandler on_exit) {
  return processes_.spawn(agent_, host_, request,
                          [loop = loop_, told = std::make_shared<ExitHandler>(std::move(on_exit))](
                              const ExitStatus& exit) { loop->post([told, exit] { (*told)(exit); }); });
}

void SimProcessHost::sweep(const std::set<int64_t>& spared, std::function<void(uint32_t)> done) {
  // Without `this`, because the agent may have ended by then.
  loop_->at(loop_->now() + kDeath,
            [&processes = processes_, agent = agent_, spared, done] { done(processes.sweep(agent, spared)); });
}

std::vector<Leftover> SimProcessHost::leftovers() {
  std::vector<Leftover> found;
  for (const auto& [handle, process] : processes_.alive()) {
    const auto pid = static_cast<int64_t>(handle);
    if (process.agent == agent_ && process.daemon) found.push_back({{pid, 1}, pid});
  }
  return found;
}

LeftoverOrigin SimProcessHost::origin(const Leftover& leftover) {
  const Launch& launch = processes_.alive().at(static_cast<ProcessHandle>(leftover.identity.pid)).launch;
  return {"daemon", std::to_string(launch.rank), launch.attempt};
}

bool SimProcessHost::holds_device_or_port(const Leftover& leftover) {
  return processes_.alive().at(static_cast<ProcessHandle>(leftover.identity.pid)).program.daemons_hold;
}

// The agent's own loop runs the handler, and does not if the agent has ended.
void SimProcessHost::on_child_end(std::function<void()> handler) {
  if (!handler) return processes_.on_daemon_end(agent_, nullptr);
  processes_.on_daemon_end(agent_, [loop = loop_, handler = std::move(handler)] { loop->post(handler); });
}

}  // namespace muster::sim
