#include "core/adapter/linux/linux_rank_probe.h"

#include <signal.h>

#include <mutex>
#include <thread>

#include "core/adapter/linux/nccl_ras.h"
#include "core/adapter/linux/proc_files.h"
#include "core/adapter/linux/python_stack.h"
#include "core/adapter/linux/thread_places.h"
#include "core/model/flight_record.h"

namespace muster {
namespace {

// The interpreter's own functions tell less.
Standing with_python(Standing standing, const PythonStack& python) {
  if (!python.innermost.empty())
    standing.place = python.innermost + ", in " + standing.place.substr(0, standing.place.find(", called by"));
  standing.stack = python.text + standing.stack;
  return standing;
}

Standing with_collectives(Standing standing, const FlightRecorder& recorder) {
  if (auto record = recorder.answer()) standing.collectives = std::move(*record);
  standing.stack = flight_record_lines(standing.collectives) + standing.stack;
  return standing;
}

// One of a node's ranks asks for all: NCCL's processes know of each other.
Standing with_network(Standing standing, const RecordedProcess& process) {
  const auto address = process.environment.find("NCCL_RAS_ADDR");
  const auto local = process.environment.find("LOCAL_RANK");
  const bool asks = address != process.environment.end() && local != process.environment.end() && local->second == "0";
  if (asks) standing.network = ask_ras(address->second, own_number(process.pid));
  for (const std::string& sentence : standing.network) standing.stack = "  " + sentence + "\n" + standing.stack;
  return standing;
}

}  // namespace

// How the examining thread reaches a loop that may go away before it has done.
struct LinuxRankProbe::Gate {
  std::mutex mutex;  // mutex: the loop ends on its own thread, the examination on another; held while posting
  Loop* loop = nullptr;
};

LinuxRankProbe::LinuxRankProbe(Loop& loop) : loop_(loop), gate_(std::make_shared<Gate>()) { gate_->loop = &loop; }

LinuxRankProbe::~LinuxRankProbe() {
  const std::lock_guard lock(gate_->mutex);
  gate_->loop = nullptr;
}

Look LinuxRankProbe::look(int64_t pid, const std::vector<std::string>& outputs, bool thorough) {
  Look look;
  const pid_t at = awaited_process(static_cast<pid_t>(pid));
  const auto stat = read_stat(at);
  if (stat) look.state = stat->state;
  if (look.state == 'T' || look.state == 'D') look.runs = times_run(at);
  if (!thorough) return look;
  if (read_ != loop_.now()) table_ = read_process_table();
  read_ = loop_.now();
  look.life = life_of(table_, static_cast<pid_t>(pid), outputs);
  return look;
}

void LinuxRankProbe::examine(int64_t pid, Tell tell) {
  const pid_t at = awaited_process(static_cast<pid_t>(pid));
  const RecordedProcess process{at, read_environment(at)};
  waiting_.push_back({pid, std::move(tell), std::make_shared<const FlightRecorder>(process)});
  if (waiting_.size() == 1) begin_next();
}

void LinuxRankProbe::begin_next() {
  // We live as long as the gate has its loop, but may be gone in the turn that is posted.
  const auto tell = [this, gate = gate_](const Standing& standing, bool more) {
    const std::lock_guard lock(gate->mutex);
    if (gate->loop == nullptr) return;
    gate->loop->post([this, gate, standing, more] {
      if (gate->loop != nullptr) found(standing, more);
    });
  };
  const auto work = [tell, leader = static_cast<pid_t>(waiting_.front().pid), recorder = waiting_.front().recorder] {
    const pid_t pid = awaited_process(leader);
    const Standing standing = where_it_stands(pid);
    tell(standing, true);
    const Standing more = with_collectives(with_python(standing, python_stack(pid)), *recorder);
    tell(with_network(more, {pid, read_environment(pid)}), false);
  };
  // Signals are the loop's to take.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread(work).detach();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void LinuxRankProbe::found(const Standing& standing, bool more) {
  const Tell tell = waiting_.front().tell;
  if (!more) waiting_.pop_front();
  if (!more && !waiting_.empty()) begin_next();
  tell(standing, more);
}

}  // namespace muster
