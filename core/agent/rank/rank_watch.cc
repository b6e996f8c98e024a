// SPDX-License-Identifier: Apache-2.0
#include "core/agent/rank/rank_watch.h"

#include <algorithm>
#include <set>

namespace muster {
namespace {

// CPU use is measured over at least this time; shorter ones give noise.
constexpr Duration kLeastMeasure = std::chrono::milliseconds(500);
// A finding waits at most this long for the rank's location.
constexpr Duration kExamination = std::chrono::milliseconds(400);

std::optional<RankFinding::Kind> kind_of(const std::optional<RankFinding>& finding) {
  return finding ? std::optional(finding->kind) : std::nullopt;
}

}  // namespace

RankWatch::~RankWatch() {
  *alive_ = false;
  ports_.loop.cancel(timer_);
  ports_.loop.cancel(tell_timer_);
}

void RankWatch::begin() {
  ranks_.clear();
  examine_all_ = false;
  ++round_;
}

void RankWatch::look(const std::vector<WatchedRank>& ranks) {
  ports_.loop.cancel(timer_);
  std::set<uint32_t> indices;
  for (const WatchedRank& rank : ranks) {
    indices.insert(rank.index);
    look_at(rank);
  }
  std::erase_if(ranks_, [&](const auto& entry) { return indices.count(entry.first) == 0; });
  const bool again = std::any_of(ranks_.begin(), ranks_.end(),
                                 [](const auto& entry) { return watchdog::suspects(entry.second.state); });
  if (again) timer_ = ports_.loop.at(ports_.loop.now() + watchdog::kSecondLook, [this] { handlers_.look(); });
}

void RankWatch::look_at(const WatchedRank& rank) {
  Watched& watched = ranks_[rank.index];
  const TimePoint now = ports_.loop.now();
  const bool due = watchdog::thorough_due(watched.state, now, look_every_);
  RankSample sample = ports_.probe.look(rank.pid, rank.outputs, due || measure_);
  measure(watched, sample.life);
  if (!due) sample.life.reset();  // measuring must not change the interval of thorough samples
  if (sample.life) sample.life->calls = rank.calls;
  watched.state = watchdog::step(std::move(watched.state), now, sample);
  const std::optional<RankFinding::Kind> found = kind_of(watchdog::finding(watched.state));
  const bool changed = found != watched.told;
  watched.told = found;
  if (changed || (!found && !examine_all_)) {
    watched.asked.reset();
    watched.location.reset();
    watched.examined = false;
  }
  if ((found || examine_all_) && !watched.asked) examine(rank.index, rank.pid);
  if (changed) handlers_.changed();
}

void RankWatch::examine(uint32_t index, int64_t pid) {
  ranks_[index].asked = ports_.loop.now();
  ports_.probe.examine(pid, [this, alive = alive_, index, round = round_](const RankLocation& location, bool more) {
    if (!*alive || round != round_) return;
    const auto found = ranks_.find(index);
    if (found == ranks_.end() || !found->second.asked) return;
    found->second.location = location;
    found->second.location->complete = !more;
    if (handlers_.exception) found->second.location->exception = handlers_.exception(index);
    found->second.examined = !more;
    if (!more) handlers_.changed();
  });
  ports_.loop.cancel(tell_timer_);
  tell_timer_ = ports_.loop.at(ports_.loop.now() + kExamination, [this] { handlers_.changed(); });
}

void RankWatch::examine(bool wanted) { examine_all_ = wanted; }

void RankWatch::measure(bool wanted) { measure_ = wanted; }

void RankWatch::look_every(Duration time) { look_every_ = time > Duration(0) ? time : watchdog::kThorough; }

// A measurement needs two samples.
void RankWatch::measure(Watched& watched, const std::optional<RankActivity>& activity) const {
  if (!measure_ || !activity) {
    watched.cpu.reset();
    watched.use.reset();
    return;
  }
  const TimePoint now = ports_.loop.now();
  const Duration since = now - watched.measured;
  if (watched.cpu && since < kLeastMeasure) return;
  if (watched.cpu) {
    const Duration used = std::max(Duration(0), activity->cpu - *watched.cpu);
    watched.use = RankUse{static_cast<uint64_t>(used * 1000 / since), activity->memory_bytes};
  }
  watched.cpu = activity->cpu;
  watched.measured = now;
}

bool RankWatch::ready(const Watched& rank) const {
  return rank.examined || (rank.asked && ports_.loop.now() - *rank.asked >= kExamination);
}

void RankWatch::tell(RankReport& report) const {
  const auto found = ranks_.find(report.index);
  if (found == ranks_.end()) return;
  if (ready(found->second)) report.finding = watchdog::finding(found->second.state);
  report.silent = found->second.state.silent;
  report.still = found->second.state.still;
  report.standing = found->second.location;
  report.use = found->second.use;
}

std::vector<uint32_t> RankWatch::stopped() const {
  std::vector<uint32_t> indices;
  for (const auto& [index, rank] : ranks_) {
    if (rank.told == RankFinding::Kind::stopped) indices.push_back(index);
  }
  return indices;
}

}  // namespace muster
