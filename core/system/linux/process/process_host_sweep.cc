// LinuxProcessHost: sweep(), as turns of the loop.
#include <signal.h>

#include "core/base/text.h"
#include "core/system/linux/marked_processes.h"
#include "core/system/linux/process/linux_process_host.h"

namespace muster {
namespace {

// SIGCHLD brings the next round; the timer is for those that end late.
constexpr Duration kNextRound = std::chrono::milliseconds(50);
constexpr Duration kMarkedPatience = std::chrono::seconds(5);
constexpr Duration kWorthATell = std::chrono::seconds(5);

}  // namespace

void LinuxProcessHost::sweep(std::function<void(uint32_t killed)> done) {
  sweepers_.push_back(std::move(done));
  if (sweep_) return;
  sweep_.emplace();
  sweep_started_ = loop_.now();
  sweep_reported_ = false;
  loop_.post([this, alive = alive_] {
    if (*alive) sweep_round();
  });
}

void LinuxProcessHost::sweep_round() {
  if (!sweep_) return;
  loop_.cancel(sweep_timer_);
  const bool done = orphans_ == Orphans::ignored || (sweep_->round(living()) && end_guests());
  // After the round, which counts. One that a living process shares waits for its end.
  for (const auto& cgroup : ended_cgroups_) {
    if (cgroup.use_count() == 1) cgroup->kill_all();
  }
  if (done) {
    finish_sweep();
  } else {
    sweep_later();
  }
}

void LinuxProcessHost::sweep_later() {
  sweep_timer_ = loop_.at(loop_.now() + kNextRound, [this] { sweep_round(); });
  if (sweep_reported_ || loop_.now() < sweep_started_ + kWorthATell) return;
  sweep_reported_ = true;
  log_.warning("killed processes do not end: " + short_list(sweep_->remaining(), 4));
}

// Removing an ended process's cgroup works now that it is empty.
void LinuxProcessHost::finish_sweep() {
  const uint32_t killed = sweep_->killed();
  sweep_.reset();
  ended_cgroups_.clear();
  for (const auto& done : std::exchange(sweepers_, {})) done(killed);
}

void LinuxProcessHost::end_marked(const std::vector<std::string>& marks, std::function<void()> done) {
  loop_.post([this, alive = alive_, marks, done = std::move(done)] {
    if (*alive) end_marked_by(loop_.now() + kMarkedPatience, marks, done);
  });
}

void LinuxProcessHost::end_marked_by(TimePoint end, const std::vector<std::string>& marks,
                                     const std::function<void()>& done) {
  if (kill_marked(marks) == 0 || loop_.now() >= end) return done();
  loop_.at(loop_.now() + kNextRound, [this, alive = alive_, end, marks, done] {
    if (*alive) end_marked_by(end, marks, done);
  });
}

// Their ends are told as any: they are spared by the round, which would reap them unseen. True: there was none.
bool LinuxProcessHost::end_guests() {
  bool none = true;
  for (auto& [handle, process] : processes_) {
    if (!process.guest) continue;
    none = false;
    kill(-static_cast<pid_t>(process.identity.pid), SIGKILL);
  }
  return none;
}

std::set<pid_t> LinuxProcessHost::living() const {
  std::set<pid_t> pids;
  for (const auto& [pid, handle] : handles_) pids.insert(pid);
  return pids;
}

}  // namespace muster
