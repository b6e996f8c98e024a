#include "core/machine/watchdog/rank.h"

#include <algorithm>

namespace muster::watchdog {
namespace {

// Of one CPU.
constexpr int64_t kIdleShare = 100;
constexpr uint64_t kIdleBytes = 4096;
// Between two looks, as silence counts: those are a beat apart unless somebody slept.
constexpr Duration kLongestGap = std::chrono::seconds(2);

// Looks come with the beats, which are not exact.
constexpr Duration kEarly = std::chrono::milliseconds(200);

bool grew(uint64_t before, uint64_t after, uint64_t by) { return after < before || after - before >= by; }

bool acted(const RankActivity& before, const RankActivity& after) {
  return grew(before.io_bytes, after.io_bytes, kIdleBytes) || before.output_bytes != after.output_bytes ||
         before.processes != after.processes || before.calls != after.calls;
}

bool computed(const RankActivity& before, const RankActivity& after, Duration between) {
  return after.cpu < before.cpu || (after.cpu - before.cpu) * kIdleShare >= between;
}

// The same stop or wait as before, through which it was given no CPU.
bool confirms(const RankState::Suspicion& suspicion, const RankSample& look) {
  return look.state == suspicion.state && look.runs == suspicion.runs;
}

void suspect(RankState& state, TimePoint now, const RankSample& look) {
  if (look.state != 'T' && look.state != 'D') return state.suspicion.reset();
  if (!state.suspicion || !confirms(*state.suspicion, look)) {
    state.suspicion = RankState::Suspicion{look.state, look.runs, now, false};
  } else if (now - state.suspicion->since >= kSecondLook) {
    state.suspicion->sure = true;
  }
}

void weigh(RankState& state, TimePoint now, const RankActivity& life) {
  if (!state.looked || acted(state.life, life)) state.still = state.silent = Duration(0);
  if (state.looked && computed(state.life, life, now - *state.looked)) state.silent = Duration(0);
  state.life = life;
  state.looked = now;
}

}  // namespace

RankState step(RankState state, TimePoint now, const RankSample& look) {
  const Duration gap = state.last == TimePoint() ? Duration(0) : std::min(now - state.last, kLongestGap);
  state.last = now;
  state.silent += gap;
  state.still += gap;
  suspect(state, now, look);
  // Ready to run on a busy machine is no silence; a debugger is somebody's hand.
  if (look.state == 'R' || look.state == 't') state.silent = Duration(0);
  if (look.state == 't') state.still = Duration(0);
  if (look.life) weigh(state, now, *look.life);
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
  constexpr int kLooks = 3;
  return patience > Duration(0) ? std::min(kThorough, patience / kLooks) : kThorough;
}

}  // namespace muster::watchdog
