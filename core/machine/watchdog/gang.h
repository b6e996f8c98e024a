// The watch over a gang: what is seen of its ranks, and the steps they tell, as verdicts. Pure.
//
//  - stopped, stuck: of one rank, as soon as that is seen (rank.h), with where it stands.
//  - waiting: a barrier of libmuster has been open for the job's patience (hangs.after); who has not come is named.
//  - hung: the ranks told steps, three at least, and for the patience, and ten times the longest that they ever took for one, no
//    rank has made a step, and none has read, written, printed, started a process or called. CPU time does not count here: ranks
//    that wait in a collective burn it.
//  - quiet: no sign of life of any rank, CPU time included, for the patience. A server is that all day, so it is only told;
//    unless the job file says that silence is a hang (hangs.even_without_steps).
// A rank that waits for a slow peer is no hang: the peer makes steps, or reads, or computes without having told steps. So
// import, compilation and the first step never are: no step was told yet, and they read and write. A checkpoint writes.
// Patience is counted in beats heard, so that a host that slept, or an agent that was away, hangs nobody.
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

// What is known of a rank that runs.
struct RankSeen {
  std::string name;  // "rank 3"
  std::optional<RankFinding> finding;
  Duration silent{0};
  Duration still{0};
  std::optional<uint64_t> step;  // that it told
  Rare<RankLocation> standing;
  bool operator==(const RankSeen&) const = default;
};

struct GangState {
  HangSpec rules;
  Attempt attempt = 0;
  std::map<uint32_t, RankSeen> ranks;  // by plan index; those that run
  std::set<uint32_t> found;            // of them, those with a finding
  std::string waits;                   // a barrier under way, and who has not come
  Duration waited{0};
  uint32_t steps = 0;      // that any rank was seen to make
  Duration longest{0};     // between two of them
  Duration since_step{0};  // since the last, or the begin
  Duration asked{0};       // since where the ranks stand was asked for
  bool operator==(const GangState&) const = default;
};

GangState begin(const HangSpec& rules, Attempt attempt);
// What one rank's node says of it; nothing: it does not run (any more).
void hear(GangState& state, uint32_t rank, std::optional<RankSeen> seen);
// A beat has passed, in which every node was heard.
void beat(GangState& state, Duration length);

struct Verdicts {
  std::vector<job::Judged> standing;  // all that is so now
  bool examine = false;               // where every rank stands should be asked for
};
Verdicts judge(const GangState& state, TimePoint now);

}  // namespace muster::watchdog
