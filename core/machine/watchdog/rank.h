// The watch over one rank, from outside its process: what a look every beat, and a thorough one every ten, say of it. Pure.
//
// It says what is seen of this rank alone; what that means for the gang is gang.h's. The rules:
//  - stopped: state T in two looks between which the process got no CPU. Nobody waits for what comes by itself: it needs a
//    signal. A debugger's stop (state t) is none, nor is one of a limiter that stops and continues the process all the time.
//  - in_io: state D in two looks, likewise. Told, for storage does that to a checkpoint; stuck after kStuckAfter of it.
//  - a sign of life: it ran, or was about to, when looked at; a hundredth of a CPU since the last thorough look; 4 KiB read or
//    written, by any call; a byte of output; a process that came or went; a call of libmuster.
// Less than that is what threads do that only wait: a hundredth of a CPU is ten times what torch's idle ones use.
// Silence is counted in looks, not on the clock: while the host slept or the agent got no CPU, nobody was silent.
#pragma once

#include <optional>

#include "core/base/time.h"
#include "core/rank/finding.h"
#include "core/rank/rank_sample.h"

namespace muster::watchdog {

constexpr Duration kThorough = std::chrono::seconds(10);          // between thorough looks
constexpr Duration kSecondLook = std::chrono::milliseconds(500);  // after one that raised a suspicion
constexpr Duration kStuckAfter = std::chrono::seconds(60);

struct RankState {
  struct Suspicion {
    char state = 'T';
    uint64_t runs = 0;
    TimePoint since;
    bool sure = false;
    bool operator==(const Suspicion&) const = default;
  };
  std::optional<Suspicion> suspicion;
  RankActivity life;  // of the last thorough look …
  std::optional<TimePoint> looked;
  TimePoint last;      // the last look of either kind
  Duration silent{0};  // without a sign of life …
  Duration still{0};   // … and without one other than CPU time
  bool operator==(const RankState&) const = default;
};

// A look at `now`, not before the last.
RankState step(RankState state, TimePoint now, const RankSample& look);

std::optional<RankFinding> finding(const RankState& state);
// Another look after kSecondLook settles it.
bool suspects(const RankState& state);
bool thorough_due(const RankState& state, TimePoint now, Duration every = kThorough);
// Between thorough looks, of ranks that may be silent for `patience` (0: for ever): whoever is silent so long was looked at
// several times, so that what a healthy rank does now and then is seen.
Duration between_looks(Duration patience);

}  // namespace muster::watchdog
