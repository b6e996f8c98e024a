// SPDX-License-Identifier: Apache-2.0
#include "core/agent/rank/rank_set.h"

#include <algorithm>
#include <csignal>
#include <set>

#include "core/agent/provision/node_setup.h"
#include "core/attempt/assignment.h"
#include "core/attempt/failure_message.h"
#include "core/base/text.h"
#include "core/job/mpirun/rank_only.h"
#include "core/job/peer_error.h"
#include "core/job/raised.h"
#include "core/port/output_messages.h"

namespace muster {
namespace {

// A rank that waits for its start is reported as starting.
RankPhase reported_phase(RankPhase phase) { return phase == RankPhase::waiting ? RankPhase::starting : phase; }

// A rank that is asked to end still uses its helpers, such as the workers of a data loader, to finish and save. So only its main
// process is asked. SIGKILL is for all of them.
SignalReach reach_of(int signal) { return signal == SIGKILL ? SignalReach::group : SignalReach::process; }

FailureMessageFiles places_of(const RankTask& task) {
  const auto file = task.environment.find("TORCHELASTIC_ERROR_FILE");
  // If the program changed the variable, the path may be anything, even a pipe.
  const bool ours = file != task.environment.end() && file->second == error_file_beside(task.stdout_path);
  return {ours ? file->second : "", task.tty ? task.stdout_path : task.stderr_path};
}

// With these variables another process would join the MPI world in place of the rank.
bool is_of_mpi_rank(const std::string& variable) {
  return variable.starts_with("PMI_") || variable.starts_with("PMIX_");
}

// The variables of the task, for its process.
std::map<std::string, std::string> environment_of(const RankTask& task) {
  std::map<std::string, std::string> environment = task.environment;
  const std::string text = rank_only_text({task.rank_only.begin(), task.rank_only.end()}, environment);
  if (!text.empty()) environment[kRankOnly] = text;
  return environment;
}

}  // namespace

RankSet::RankSet(RankSetPorts ports, RankStart start, std::vector<RankTask> tasks, std::function<void()> changed)
    : ports_(ports),
      start_(std::move(start)),
      changed_(std::move(changed)) {
  for (RankTask& task : tasks) {
    const uint32_t index = task.index;
    ranks_[index].task = std::move(task);
  }
}

RankSet::~RankSet() {
  *alive_ = false;
  for (const auto& [index, rank] : ranks_) ports_.loop.cancel(rank.timer);
}

void RankSet::start(const std::string& refusal) {
  refusal_ = refusal;
  quiet_ = ranks_.empty();
  for (const auto& [index, rank] : ranks_) happen(index, worker::Start{});
  sweep_when_over();
}

void RankSet::stop(const worker::Stop& stop) {
  for (const auto& [index, rank] : ranks_) {
    const bool waits = rank.adopted && rank.state.phase == RankPhase::waiting;
    if (waits) ports_.host.signal(rank.process.handle, SIGKILL, SignalReach::group);
    happen(index, stop);
  }
}

void RankSet::drain(const Drain& drain) {
  drained_ = drain;
  stop({drain.grace});
}

void RankSet::happen(uint32_t index, const worker::Event& event) {
  Rank& rank = ranks_[index];
  worker::Step step = worker::step(rank.state, ports_.loop.now(), event);
  rank.state = std::move(step.next);
  for (const worker::Action& action : step.actions) {
    std::visit([&](const auto& each) { act(index, each); }, action);
  }
}

SpawnRequest RankSet::request_of(const RankTask& task) const {
  std::map<std::string, std::string> environment = start_.environment;
  for (const auto& [name, value] : environment_of(task)) environment[name] = value;
  enter_venv(environment, start_.venv);
  SpawnRequest request;
  request.argv = task.argv;
  for (const auto& [name, value] : environment) request.environment.push_back(name + "=" + value);
  request.workdir = start_.workdir;
  request.settings = start_.settings;
  request.container = start_.container;
  request.stdout_path = task.stdout_path;
  request.stderr_path = task.stderr_path;
  request.tty = task.tty;
  if (task.tty) request.window = start_.window;
  if (start_.input && start_.input->source.rank.value_or(task.index) == task.index) request.input = start_.input;
  // As torchrun does. If the kernel shares CPUs among sessions (autogroups, sched(7)), each rank then has its own share.
  request.own_session = true;
  request.cpus = task.cpus;
  request.memory_limit_bytes = task.memory_limit_bytes;
  // Only ranks with a limit have their own cgroup: to make and remove one takes as long as to start a program.
  request.cgroup_name = task.memory_limit_bytes > 0 ? "rank-" + std::to_string(task.index) : "ranks";
  return request;
}

std::vector<SpawnRequest> RankSet::requests() const {
  std::vector<SpawnRequest> requests;
  for (const auto& [index, rank] : ranks_) requests.push_back(request_of(rank.task));
  return requests;
}

void RankSet::adopt(uint32_t index, RankProcess process, WorkerListener::Answer answer) {
  Rank& rank = ranks_[index];
  rank.process = std::move(process);
  rank.adopted = true;
  rank.rejoin = std::move(answer);
}

void RankSet::give(uint32_t index, const std::map<std::string, std::string>& environment, int descriptor) {
  const auto found = ranks_.find(index);
  if (found == ranks_.end()) return;
  if (descriptor >= 0) passed_[index] = descriptor;
  RankTask& task = found->second.task;
  for (const auto& variable : environment)
    if (task.environment.insert(variable).second) task.rank_only.push_back(variable.first);
}

void RankSet::tell_place(Rank& rank) const {
  std::map<std::string, std::string> environment = environment_of(rank.task);
  const auto socket = start_.environment.find("MUSTER_SOCKET");
  environment["MUSTER_SOCKET"] = socket == start_.environment.end() ? "" : socket->second;
  environment["MUSTER_STDOUT"] = rank.task.stdout_path;
  environment["MUSTER_STDERR"] = rank.task.stderr_path;
  std::exchange(rank.rejoin, nullptr)(NewPlace{Status(), environment});
}

std::optional<RankProcess> RankSet::depart(uint32_t index) {
  const auto found = ranks_.find(index);
  if (found == ranks_.end() || found->second.process.handle == 0) return std::nullopt;
  if (found->second.state.phase == RankPhase::exited) return std::nullopt;
  RankProcess process = std::move(found->second.process);
  found->second.process = {};
  ExitStatus exit;
  exit.kind = ExitStatus::Kind::signalled;
  exit.signal = SIGTERM;
  exit.detail = "its process waits for the next attempt";
  happen(index, worker::Exited{exit});
  return process;
}

Status RankSet::spawn(uint32_t index) {
  RankProcess& process = ranks_[index].process;
  const bool adopted = ranks_[index].adopted;
  if (!refusal_.empty()) {
    if (adopted) ports_.host.signal(process.handle, SIGKILL, SignalReach::group);
    return Status(Code::failed_precondition, refusal_);
  }
  if (adopted) {
    tell_place(ranks_[index]);
  } else {
    process.route = std::make_shared<ExitRoute>();
    SpawnRequest request = request_of(ranks_[index].task);
    if (const auto passed = passed_.find(index); passed != passed_.end()) request.passed = passed->second;
    if (request.tty) request.output_waits = listener(index);
    const Result<ProcessHandle> started = ports_.host.spawn(request, [route = process.route](const ExitStatus& exit) {
      if (const auto to = route->to) to(exit);
    });
    if (!started.ok()) return started.status();
    process.handle = *started;
    process.pid = ports_.host.identity(*started).pid;
  }
  process.route->to = [this, alive = alive_, index](const ExitStatus& exit) {
    if (*alive) exited(index, exit);
  };
  return Status();
}

// Tells what happens to the output of the rank's terminal if it cannot be stored.
OutputWaits RankSet::listener(uint32_t index) {
  return [this, alive = alive_, rank = "rank " + std::to_string(index)](const std::string& why, bool missing) {
    if (!*alive) return;
    const std::string waits = std::string(kOutputWaits) + "from the terminal of " + rank + " to be stored: " + why;
    ports_.trouble(missing ? "the last output of " + rank + " may be missing: " + why : why.empty() ? "" : waits);
    changed_();
  };
}

void RankSet::act(uint32_t index, const worker::Spawn&) {
  if (const Status spawned = spawn(index); !spawned.ok()) {
    ExitStatus exit;
    exit.kind = ExitStatus::Kind::not_started;
    exit.detail = spawned.message();
    const bool no_folder = !start_.host.empty() && exit.detail.starts_with("workdir ");
    if (no_folder)
      exit.detail +=
          " on " + start_.host + "; set workdir: {sync: true} to copy it there, or name a folder that exists there";
    return happen(index, worker::SpawnFailed{exit});
  }
  happen(index, worker::Spawned{});
}

void RankSet::act(uint32_t index, const worker::Signal& action) {
  ports_.host.signal(ranks_[index].process.handle, action.number, reach_of(action.number));
}

void RankSet::act(uint32_t index, const worker::ArmTimer& action) {
  Rank& rank = ranks_[index];
  ports_.loop.cancel(rank.timer);
  rank.timer = ports_.loop.at(action.at, [this, index] { happen(index, worker::TimerFired{}); });
}

void RankSet::act(uint32_t, const worker::Changed&) {
  sweep_when_over();
  changed_();
}

void RankSet::exited(uint32_t index, ExitStatus exit) {
  const RankPhase phase = ranks_[index].state.phase;
  const RankFault fault = phase == RankPhase::running && ports_.fault ? ports_.fault(index, exit) : RankFault();
  if (fault.exact) {
    exit.kind = ExitStatus::Kind::exited;
    exit.code = fault.code;
    exit.signal = 0;
  }
  if (exit.success() && drained_) {
    exit.kind = ExitStatus::Kind::signalled;
    exit.signal = SIGTERM;
    exit.detail = drained_->why;
    exit.service_failed = drained_->service_failed;
  } else if (exit.success() && !fault.why.empty()) {
    exit.code = fault.code;
    exit.detail = fault.why;
  } else if (!exit.success() && exit.detail.empty()) {
    explain(ranks_[index], fault.why, exit);
  }
  ports_.leftovers.rank_ended(ranks_[index].process.pid, exit.success() && phase == RankPhase::running);
  happen(index, worker::Exited{exit});
}

void RankSet::explain(const Rank& rank, const std::string& fault, ExitStatus& exit) const {
  const bool signalled = exit.kind == ExitStatus::Kind::signalled;
  const bool by_timer = signalled && exit.signal == rank.expired_signal && !exit.oom;
  FailureMessage words;
  if (!by_timer) words = failure_message(ports_.output, places_of(rank.task), exit);
  const bool drained = signalled && !exit.oom && drained_ && words.trace.empty();
  if (drained) words.said = drained_->why;
  if (!fault.empty() && words.trace.empty()) words.said = fault;
  exit.service_failed = drained && fault.empty() && drained_->service_failed;
  exit.detail = words.said.empty() ? rank.expired : words.said;
  // A rank that failed because its peers were stopped needs no traceback.
  const bool by_others = rank.state.phase == RankPhase::stopping && !peer_error(exit).empty();
  // The kernel's note about kills for memory follows the traceback.
  exit.trace = by_others ? "" : words.trace + exit.trace;
}

std::string RankSet::printed_exception(uint32_t index) const {
  const auto found = ranks_.find(index);
  if (found == ranks_.end()) return "";
  ExitStatus exit;  // as if the exception had ended it
  exit.code = 1;
  const FailureMessage words = failure_message(ports_.output, {"", places_of(found->second.task).stderr_path}, exit);
  return has_traceback(words.trace) ? words.said : "";
}

void RankSet::expire(uint32_t index, int signal, const std::string& why) {
  const auto found = ranks_.find(index);
  if (found == ranks_.end() || found->second.state.phase != RankPhase::running) return;
  found->second.expired_signal = signal;
  found->second.expired = why;
  ports_.host.signal(found->second.process.handle, signal, reach_of(signal));
}

void RankSet::kill(uint32_t index) {
  const auto found = ranks_.find(index);
  if (found == ranks_.end() || found->second.state.phase != RankPhase::running) return;
  ports_.host.signal(found->second.process.handle, SIGKILL, SignalReach::group);
}

bool RankSet::over() const {
  return std::all_of(ranks_.begin(), ranks_.end(),
                     [](const auto& entry) { return entry.second.state.phase == RankPhase::exited; });
}

// When the last rank has ended, processes that ranks have left (daemons, forgotten children) end too.
void RankSet::sweep_when_over() {
  if (sweeping_ || quiet_ || !over()) return;
  ports_.leftovers.over();
  if (sweeping_ || !ports_.leftovers.settled()) return;
  sweeping_ = true;
  ports_.host.sweep(ports_.leftovers.spared(), [this, alive = alive_](uint32_t) {
    if (!*alive) return;
    quiet_ = true;
    ports_.leftovers.swept();
    changed_();
  });
}

void RankSet::type(const TtyInput& typed) {
  const auto found = ranks_.find(typed.index);
  if (found == ranks_.end()) return;
  if (typed.rows > 0) ports_.host.resize_tty(found->second.process.handle, typed.rows, typed.columns);
  if (!typed.bytes.empty()) ports_.host.write_tty(found->second.process.handle, typed.bytes);
}

std::vector<RankSet::Running> RankSet::running() const {
  std::vector<Running> found;
  for (const auto& [index, rank] : ranks_) {
    if (rank.state.phase != RankPhase::running || rank.process.pid <= 0) continue;
    found.push_back({index, rank.process.pid, {rank.task.stdout_path, rank.task.stderr_path}});
  }
  return found;
}

// If each rank sees other GPUs, the program sees them in the order of the ranks, so that its own ranks can choose by their local rank.
RankTask RankSet::with_all_devices(RankTask task) const {
  constexpr const char* kGpus = "CUDA_VISIBLE_DEVICES";
  std::set<uint32_t> cpus;
  std::vector<std::string> gpus;
  bool limited = true;
  task.memory_limit_bytes = 0;
  for (const auto& [index, rank] : ranks_) {
    cpus.insert(rank.task.cpus.begin(), rank.task.cpus.end());
    limited &= rank.task.memory_limit_bytes > 0;
    task.memory_limit_bytes += rank.task.memory_limit_bytes;
    const auto visible = rank.task.environment.find(kGpus);
    if (visible == rank.task.environment.end()) continue;
    for (const std::string& gpu : split(visible->second, ','))
      if (!gpu.empty() && std::find(gpus.begin(), gpus.end(), gpu) == gpus.end()) gpus.push_back(gpu);
  }
  if (!limited) task.memory_limit_bytes = 0;
  if (!gpus.empty()) task.environment[kGpus] = join(gpus, ",");
  task.cpus.assign(cpus.begin(), cpus.end());
  return task;
}

Status RankSet::not_started() { return {Code::unavailable, std::string(kRankNotStarted)}; }

Result<RankSet::Beside> RankSet::beside(uint32_t index, bool whole_node) const {
  const auto found = ranks_.find(index);
  if (found == ranks_.end()) return Status(Code::not_found, "the rank is not on its node now");
  if (over()) return Status(Code::failed_precondition, "the ranks on its node have just ended");
  if (found->second.process.handle == 0) return not_started();
  SpawnRequest spawn = request_of(whole_node ? with_all_devices(found->second.task) : found->second.task);
  std::erase_if(spawn.environment, is_of_mpi_rank);
  if (whole_node && spawn.memory_limit_bytes > 0) spawn.cgroup_name = "inner";
  return Beside{std::move(spawn), whole_node ? ProcessHandle{0} : found->second.process.handle};
}

void RankSet::resume(uint32_t index) {
  const auto found = ranks_.find(index);
  if (found != ranks_.end() && found->second.process.handle != 0)
    ports_.host.signal(found->second.process.handle, SIGCONT, SignalReach::group);
}

std::vector<RankReport> RankSet::report() const {
  std::vector<RankReport> reports;
  for (const auto& [index, rank] : ranks_) {
    RankReport report;
    report.index = index;
    report.phase = reported_phase(rank.state.phase);
    report.exit = rank.state.exit;
    report.pid = rank.process.pid;
    report.started = rank.state.started;
    report.ended = rank.state.ended;
    reports.push_back(std::move(report));
  }
  return reports;
}

}  // namespace muster
