// SPDX-License-Identifier: Apache-2.0
// Decides what happens to a leftover: a process that a rank started and that still runs after the main process of the rank has
// ended. Pure (docs/design/agent.md).
//
// A leftover in the session of its rank is a part of the rank: a program behind a shell script, the workers of a data loader. If the
// rank was stopped or has failed, it gets the stop signal that its rank got, and what is left of the grace. A leftover with a session
// of its own is a helper that cleans up after the rank, or background work.
//
// A part that reads the output of another one (`train.py | tee log`) gets no signal while that one runs: a program that saves must
// not lose its reader. It ends when it has read everything.
#pragma once

#include <csignal>
#include <optional>

#include "core/base/time.h"
#include "core/job/leftover_spec.h"

namespace muster::leftover {

// Time between SIGTERM and SIGKILL for a leftover whose own grace is over.
constexpr Duration kStopTime = std::chrono::seconds(2);

// The attempt is stopped.
struct Stop {
  TimePoint deadline;  // the end of the ranks' grace
  int signal = SIGTERM;
  bool again = false;  // another attempt follows
  bool last = false;   // nothing may run after the deadline: the node is drained, or the ranks are killed
  bool operator==(const Stop&) const = default;
};

// What is true of all leftovers of a node.
struct Situation {
  LeftoverSpec spec;
  std::optional<TimePoint> over;  // when the last rank of the attempt on this node ended
  std::optional<Stop> stop;
};

struct Facts {
  bool in_session = false;           // in the session of its rank
  bool finished = false;             // in_session: its rank ended by itself with code 0
  bool holds = false;                // it has a GPU or a port; asked for only if needs_resources()
  bool reads = false;                // it reads, or did read, the output of another leftover of its session
  std::optional<TimePoint> read;     // since when no other leftover writes into its input
  std::optional<TimePoint> earlier;  // an earlier attempt left it: when the last rank of that attempt ended
};

// Why it is ended before it was ready. grace: its own grace is over. restart: it is in the way of the next attempt. stop: it did not
// end within the grace of its rank.
enum class Loss { none, grace, restart, stop };

struct Verdict {
  int signal = 0;                  // to send; 0: none. SIGKILL may be sent again, others only once
  std::optional<TimePoint> until;  // judge it again then, if nothing happens before
  bool blocks = true;              // the attempt is not over while it runs
  Loss loss = Loss::none;          // the user is told
  bool operator==(const Verdict&) const = default;
};

// Whether the verdict depends on Facts::reads.
bool is_part_of_stopped_rank(const Facts& facts, const Situation& situation);

// Whether the verdict depends on Facts::holds.
bool needs_resources(const Facts& facts, const Situation& situation);

Verdict judge(const Facts& facts, const Situation& situation, TimePoint now);

}  // namespace muster::leftover
