// SPDX-License-Identifier: Apache-2.0
// The watchdog of a gang: turns samples of its ranks, and the steps that they report, into findings. Pure.
//
//  - stopped, stuck: one rank, as soon as its sample shows it (rank.h), with its location.
//  - waiting: a barrier of libmuster has been open for hangs.after. The finding names the missing ranks.
//  - hung: the ranks reported at least three steps. Since then, for hangs.after and for ten times the longest step, no rank has
//    made a step, read, written, printed, started a process or called libmuster. CPU time is ignored here, because ranks that
//    wait in a collective use it.
//  - quiet: no activity of any rank, CPU time included, for hangs.after. A server may be idle all day, so quiet is only
//    reported. With hangs.even_without_steps it counts as hung; with hangs.action: restart also if some ranks wait in a
//    collective of torch for others, as recorders or the ranks' Python functions show.
// A rank that waits for a slow peer does not hang: the peer makes steps, reads, or computes before the first reported step.
// Imports, compilation and the first step are no hangs either: no step is reported yet, and they read and write. A
// checkpoint writes.
// Time is counted in heartbeats received, so a host that slept or an agent that was away causes no finding.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/base/ids.h"
#include "core/base/rare.h"
#include "core/base/time.h"
#include "core/machine/job/job.h"
#include "core/rank/finding.h"

namespace muster::watchdog {

// The last sample of a running rank.
struct RankSeen {
  std::string name;  // "rank 3"
  std::optional<RankFinding> finding;
  Duration silent{0};
  Duration still{0};
  std::optional<uint64_t> step;  // that it reported
  Rare<RankLocation> standing;
  bool operator==(const RankSeen&) const = default;
};

struct GangState {
  HangSpec rules;
  Attempt attempt = 0;
  std::map<uint32_t, RankSeen> ranks;  // running ranks by plan index
  std::set<uint32_t> found;            // those of them that have a finding
  std::string waits;                   // the pending barrier and its missing ranks; empty: there is none
  Duration waited{0};
  uint32_t steps = 0;      // steps of all ranks
  Duration longest{0};     // longest time between two steps
  Duration since_step{0};  // since the last step, or since the begin
  Duration asked{0};       // since the locations of the ranks were requested
  bool operator==(const GangState&) const = default;
};

GangState begin(const HangSpec& rules, Attempt attempt);
// Takes the sample of one rank; nothing: the rank does not run.
void hear(GangState& state, uint32_t rank, std::optional<RankSeen> seen);
// A heartbeat interval has passed, in which every node has reported.
void beat(GangState& state, Duration length);

struct Verdicts {
  std::vector<job::Judged> standing;  // the current findings
  bool examine = false;               // the locations of all ranks should be requested
};
Verdicts judge(const GangState& state, TimePoint now);

}  // namespace muster::watchdog
