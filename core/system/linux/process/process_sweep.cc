// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/process/process_sweep.h"

#include <signal.h>

#include "core/base/text.h"
#include "core/system/linux/marked_processes.h"

namespace muster {
namespace {

// SIGCHLD starts the next round; the timer is for processes that end late.
constexpr Duration kNextRound = std::chrono::milliseconds(50);
constexpr Duration kMarkedPatience = std::chrono::seconds(5);
constexpr Duration kWorthATell = std::chrono::seconds(5);

}  // namespace

ProcessSweep::ProcessSweep(FdLoop& loop, Log& log, ProcessTable& processes, bool adopts)
    : loop_(loop),
      log_(log),
      processes_(processes),
      adopts_(adopts) {}

ProcessSweep::~ProcessSweep() {
  *alive_ = false;
  loop_.cancel(timer_);
}

void ProcessSweep::sweep(const std::set<int64_t>& spared, std::function<void(uint32_t killed)> done) {
  sweepers_.push_back(std::move(done));
  const std::set<pid_t> before = std::exchange(spared_, {});
  for (const int64_t pid : spared) {
    if (!orphans_ || before.contains(static_cast<pid_t>(pid))) spared_.insert(static_cast<pid_t>(pid));
  }
  if (orphans_) return;
  orphans_.emplace();
  started_ = loop_.now();
  reported_ = false;
  loop_.post([this, alive = alive_] {
    if (*alive) round();
  });
}

void ProcessSweep::round() {
  if (!orphans_) return;
  loop_.cancel(timer_);
  std::set<pid_t> spared = processes_.children();
  spared.insert(spared_.begin(), spared_.end());
  const bool done = !adopts_ || (orphans_->round(spared) && end_execs());
  // After the round, which counts the killed processes. A cgroup that a living process shares is killed after that process ends.
  for (const auto& cgroup : ended_cgroups_) {
    if (cgroup.use_count() == 1 && spared_.empty()) cgroup->kill_all();
  }
  if (done) {
    finish();
  } else {
    round_later();
  }
}

void ProcessSweep::round_later() {
  timer_ = loop_.at(loop_.now() + kNextRound, [this] { round(); });
  if (reported_ || loop_.now() < started_ + kWorthATell) return;
  reported_ = true;
  log_.warning("killed processes do not end: " + short_list(orphans_->remaining(), 4));
}

// The cgroups of ended processes can be removed now, since they are empty. A spared process may be in one: then they stay until
// the next sweep.
void ProcessSweep::finish() {
  const uint32_t killed = orphans_->killed();
  orphans_.reset();
  if (spared_.empty()) ended_cgroups_.clear();
  for (const auto& done : std::exchange(sweepers_, {})) done(killed);
}

// Kills the exec processes. Their exits are reported like any other, so the round spares them: it would reap them without a report.
// True: there was none.
bool ProcessSweep::end_execs() {
  bool none = true;
  for (const auto& [handle, process] : processes_.all()) {
    if (!process.exec) continue;
    none = false;
    kill(-process.pid(), SIGKILL);
  }
  return none;
}

void ProcessSweep::end_marked(const std::vector<std::string>& marks, std::function<void()> done) {
  loop_.post([this, alive = alive_, marks, done = std::move(done)] {
    if (*alive) end_marked_by(loop_.now() + kMarkedPatience, marks, done);
  });
}

// The cgroups of an ended agent have also the processes that cleared their environment.
void ProcessSweep::end_marked_by(TimePoint end, const std::vector<std::string>& marks,
                                 const std::function<void()>& done) {
  const std::optional<DelegatedCgroup> cgroup = DelegatedCgroup::find();
  const size_t cgroups = cgroup ? cgroup->end_left_behind() : 0;
  if ((kill_marked(marks) == 0 && cgroups == 0) || loop_.now() >= end) return done();
  loop_.at(loop_.now() + kNextRound, [this, alive = alive_, end, marks, done] {
    if (*alive) end_marked_by(end, marks, done);
  });
}

}  // namespace muster
