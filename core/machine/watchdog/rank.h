// SPDX-License-Identifier: Apache-2.0
// The watchdog of one rank. It samples the process from outside: a short sample every second, a full one every 10 s. Pure.
//
// It decides from this rank alone; gang.h decides for the gang. The rules:
//  - stopped: state T in two samples, and the process got no CPU between them. Only a signal can continue it, so this is
//    certain. A stop by a debugger (state t) does not count, nor one by a limiter that stops and continues the process often.
//  - in_io: state D in two samples, in the same way. It is reported, since storage may block a checkpoint like this. After
//    kStuckAfter it is stuck.
//  - activity: the process was running or ready in a sample; or since the last full sample it used 1 % of a CPU, read or wrote
//    4 KiB by any call, printed a byte, started or ended a process, or called libmuster.
// Waiting threads do less than that: 1 % of a CPU is ten times what idle threads of torch use.
// Time without activity is counted in samples, not by the clock: a host that slept or an agent without CPU adds nothing.
#pragma once

#include <optional>

#include "core/base/time.h"
#include "core/rank/finding.h"
#include "core/rank/rank_sample.h"

namespace muster::watchdog {

constexpr Duration kThorough = std::chrono::seconds(10);          // between full samples
constexpr Duration kSecondLook = std::chrono::milliseconds(500);  // from a suspicion to the sample that confirms it
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
  RankActivity life;                // of the last full sample
  std::optional<TimePoint> looked;  // time of the last full sample
  TimePoint last;                   // time of the last sample of either kind
  Duration silent{0};               // without any activity
  Duration still{0};                // without activity other than CPU time
  bool operator==(const RankState&) const = default;
};

// Takes a sample at `now`, which is not before the last one.
RankState step(RankState state, TimePoint now, const RankSample& sample);

std::optional<RankFinding> finding(const RankState& state);
// True if another sample after kSecondLook is needed to confirm a suspicion.
bool suspects(const RankState& state);
bool thorough_due(const RankState& state, TimePoint now, Duration every = kThorough);
// Interval of full samples for a rank that may be without activity for `patience` (0: no limit). Several full samples fit into
// `patience`, so that the occasional activity of a healthy rank is seen.
Duration between_looks(Duration patience);

}  // namespace muster::watchdog
