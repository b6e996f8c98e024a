#include "core/adapter/linux/linux_rank_probe.h"

#include <signal.h>

#include <mutex>
#include <thread>

#include "core/adapter/linux/python_stack.h"
#include "core/adapter/linux/thread_places.h"

namespace muster {
namespace {

Standing standing_of(pid_t leader) {
  const pid_t pid = awaited_process(leader);
  Standing standing = where_it_stands(pid);
  const PythonStack python = python_stack(pid);
  if (!python.innermost.empty()) standing.place = python.innermost + ", in " + standing.place;
  standing.stack = python.text + standing.stack;
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

void LinuxRankProbe::examine(int64_t pid, std::function<void(const Standing&)> done) {
  waiting_.emplace_back(pid, std::move(done));
  if (waiting_.size() == 1) begin_next();
}

void LinuxRankProbe::begin_next() {
  const auto work = [this, gate = gate_, pid = static_cast<pid_t>(waiting_.front().first)] {
    Standing standing = standing_of(pid);
    const std::lock_guard lock(gate->mutex);
    if (gate->loop == nullptr) return;
    // We live as long as the gate has its loop, but may be gone in that turn.
    gate->loop->post([this, gate, standing = std::move(standing)] {
      if (gate->loop != nullptr) examined(standing);
    });
  };
  // Signals are the loop's to take.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread(work).detach();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void LinuxRankProbe::examined(const Standing& standing) {
  const std::function<void(const Standing&)> done = std::move(waiting_.front().second);
  waiting_.pop_front();
  if (!waiting_.empty()) begin_next();
  done(standing);
}

}  // namespace muster
