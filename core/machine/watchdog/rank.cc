// SPDX-License-Identifier: Apache-2.0
#include "core/machine/watchdog/rank.h"

#include <algorithm>

namespace muster::watchdog {
namespace {

// 1/kIdleShare of a CPU counts as activity.
constexpr int64_t kIdleShare = 100;
constexpr uint64_t kIdleBytes = 4096;
// Longest time that counts between two samples. They are 1 s apart, unless the host slept.
constexpr Duration kLongestGap = std::chrono::seconds(2);

// Samples are taken with the heartbeats, whose timing is not exact.
constexpr Duration kEarly = std::chrono::milliseconds(200);

bool grew(uint64_t before, uint64_t after, uint64_t by) { return after < before || after - before >= by; }

bool acted(const RankActivity& before, const RankActivity& after) {
  return grew(before.io_bytes, after.io_bytes, kIdleBytes) || before.output_bytes != after.output_bytes ||
         before.processes != after.processes || before.calls != after.calls;
}

bool computed(const RankActivity& before, const RankActivity& after, Duration between) {
  return after.cpu < before.cpu || (after.cpu - before.cpu) * kIdleShare >= between;
}

// True if the process is in the same stop or wait as before, without having run since.
bool confirms(const RankState::Suspicion& suspicion, const RankSample& sample) {
  return sample.state == suspicion.state && sample.runs == suspicion.runs;
}

void suspect(RankState& state, TimePoint now, const RankSample& sample) {
  if (sample.state != 'T' && sample.state != 'D') return state.suspicion.reset();
  if (!state.suspicion || !confirms(*state.suspicion, sample)) {
    state.suspicion = RankState::Suspicion{sample.state, sample.runs, now, false};
  } else if (now - state.suspicion->since >= kSecondLook) {
    state.suspicion->sure = true;
  }
}

void take_activity(RankState& state, TimePoint now, const RankActivity& life) {
  if (!state.looked || acted(state.life, life)) state.still = state.silent = Duration(0);
  if (state.looked && computed(state.life, life, now - *state.looked)) state.silent = Duration(0);
  state.life = life;
  state.looked = now;
}

}  // namespace

RankState step(RankState state, TimePoint now, const RankSample& sample) {
  const Duration gap = state.last == TimePoint() ? Duration(0) : std::min(now - state.last, kLongestGap);
  state.last = now;
  state.silent += gap;
  state.still += gap;
  suspect(state, now, sample);
  // A process that is ready to run on a busy machine is active, and one in a debugger counts as active.
  if (sample.state == 'R' || sample.state == 't') state.silent = Duration(0);
  if (sample.state == 't') state.still = Duration(0);
  if (sample.life) take_activity(state, now, *sample.life);
  return state;
}

std::optional<RankFinding> finding(const RankState& state) {
  if (!state.suspicion || !state.suspicion->sure) return std::nullopt;
  const TimePoint since = state.suspicion->since;
  if (state.suspicion->state == 'T') return RankFinding{RankFinding::Kind::stopped, since};
  return RankFinding{state.last - since >= kStuckAfter ? RankFinding::Kind::stuck : RankFinding::Kind::in_io, since};
}

bool suspects(const RankState& state) { return state.suspicion && !state.suspicion->sure; }

bool thorough_due(const RankState& state, TimePoint now, Duration every) {
  return !state.looked || now - *state.looked + kEarly >= every;
}

Duration between_looks(Duration patience) {
  constexpr int kSamples = 3;
  return patience > Duration(0) ? std::min(kThorough, patience / kSamples) : kThorough;
}

}  // namespace muster::watchdog
