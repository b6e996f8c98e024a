// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/examine/linux_rank_probe.h"

#include <algorithm>
#include <mutex>
#include <thread>

#include "core/system/linux/examine/rank_examination.h"
#include "core/system/linux/proc_files.h"
#include "core/system/posix/signals_blocked.h"

namespace muster {
namespace {

// A process that was not sampled for this long is not a rank any more.
constexpr Duration kUnseen = std::chrono::seconds(30);

}  // namespace

// Lets the examining thread reach the loop, which may be destroyed before that thread is done.
struct LinuxRankProbe::Gate {
  std::mutex mutex;  // mutex: the loop ends on its own thread, the examination on another; held while posting
  Loop* loop = nullptr;
};

LinuxRankProbe::LinuxRankProbe(Loop& loop) : loop_(loop), gate_(std::make_shared<Gate>()) { gate_->loop = &loop; }

LinuxRankProbe::~LinuxRankProbe() {
  const std::lock_guard lock(gate_->mutex);
  gate_->loop = nullptr;
}

// A process that slept at the last sample and has not run since still sleeps. This is the case for most samples of most ranks. The
// processes for which the rank waits are checked like the rank itself.
std::optional<ProcessStat> LinuxRankProbe::look_closely(pid_t pid, Rest& rest) const {
  std::vector<RunRecord> met;
  bool all = rest.asleep;  // do not spend a descriptor on a rank that computes
  const auto meet = [&](pid_t one) {
    auto record = all ? RunRecord::of(one) : std::nullopt;
    all = record.has_value();
    if (all) met.push_back(std::move(*record));
  };
  const std::optional<AwaitedProcess> at = awaited_process(pid, meet);
  rest.asleep = at && at->state == 'S' && at->certain;
  if (!all || !rest.asleep) met.clear();
  rest.met = std::move(met);
  return at;
}

Family LinuxRankProbe::family_of(pid_t pid) {
  if (auto few = small_family(pid)) return std::move(*few);
  if (read_ != loop_.now()) table_ = read_process_table();
  read_ = loop_.now();
  return family_in(table_, pid);
}

void LinuxRankProbe::forget_unseen() {
  std::erase_if(rests_, [this](const auto& one) { return loop_.now() - one.second.seen > kUnseen; });
}

RankSample LinuxRankProbe::look(int64_t pid, const std::vector<std::string>& outputs, bool thorough) {
  RankSample look;
  Rest& rest = rests_[static_cast<pid_t>(pid)];
  rest.seen = loop_.now();
  const auto rested = [](const RunRecord& record) { return record.has_rested(); };
  if (!rest.met.empty() && std::all_of(rest.met.begin(), rest.met.end(), rested)) {
    look.state = 'S';
  } else if (const auto at = look_closely(static_cast<pid_t>(pid), rest)) {
    look.state = at->state;
    if (at->state == 'T' || at->state == 'D') look.runs = times_run(at->pid);
  }
  if (!thorough) return look;
  forget_unseen();
  look.life = life_of(family_of(static_cast<pid_t>(pid)), outputs);
  return look;
}

// Ranks that are requested in the same turn of the loop are examined together.
void LinuxRankProbe::examine(int64_t pid, Tell tell) {
  waiting_.push_back({static_cast<pid_t>(pid), std::move(tell)});
  if (!round_.empty() || waiting_.size() > 1) return;
  loop_.post([this, gate = gate_] {
    if (gate->loop != nullptr) begin_round();
  });
}

void LinuxRankProbe::begin_round() {
  std::swap(round_, waiting_);
  told_ = 0;
  std::vector<pid_t> leaders;
  for (const Examination& one : round_) leaders.push_back(one.pid);
  // This object exists while the gate has its loop, but may be destroyed before the posted task runs.
  const auto tell = [this, gate = gate_](size_t which, const RankLocation& location, bool more) {
    const std::lock_guard lock(gate->mutex);
    if (gate->loop == nullptr) return;
    gate->loop->post([this, gate, which, location, more] {
      if (gate->loop != nullptr) found(which, location, more);
    });
  };
  const SignalsBlocked blocked;
  std::thread([leaders, tell] { examine_ranks(leaders, tell); }).detach();
}

void LinuxRankProbe::found(size_t which, const RankLocation& location, bool more) {
  const Tell tell = round_[which].tell;
  if (!more && ++told_ == round_.size()) round_.clear();
  if (round_.empty() && !waiting_.empty()) begin_round();
  tell(location, more);
}

}  // namespace muster
