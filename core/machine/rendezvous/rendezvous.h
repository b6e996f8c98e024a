// SPDX-License-Identifier: Apache-2.0
// The rendezvous machine: keys and values, barriers and fences of one job, by attempt. Pure (docs/design/rendezvous.md).
//
// Everything belongs to an attempt. When the next attempt begins, the keys, barriers and waiters of the last one are
// removed, and its waiters get the reason as their error. The machine assigns no ranks; the plan does.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "core/machine/rendezvous/state.h"

namespace muster::rendezvous {

struct Asked {
  Asker asker;
  Attempt attempt = 0;
  uint32_t world = 0;
  Rank rank = 0;
  RendezvousCall call;
};
// A new attempt begins with these worlds (each a list of member names by rank). Waiters of the old one fail with `why`.
// An attempt at or below the current one changes nothing.
struct Begun {
  Attempt attempt = 0;
  std::vector<std::vector<std::string>> worlds;
  std::string why;
  bool taken_over = false;  // the attempt had begun under an earlier controller: keys may have been set
};
// The attempt is over (a rank failed, the job stops): waiters fail with `why`; later calls of it too.
struct Ended {
  Attempt attempt = 0;
  std::string why;
};
// A channel is lost: the waiters of its askers are removed without an answer.
struct ChannelLost {
  uint64_t channel = 0;
};
struct TimerFired {};
using Event = std::variant<Asked, Begun, Ended, ChannelLost, TimerFired>;

// One answer for all askers that get the same, so that a fence of n ranks costs n values and not n².
struct Answer {
  std::vector<Asker> askers;
  RendezvousAnswer answer;
  bool operator==(const Answer&) const = default;
};
// Replaces an earlier one. It may fire before anything is due; the machine then arms it again.
struct ArmTimer {
  TimePoint at;
  bool operator==(const ArmTimer&) const = default;
};
using Action = std::variant<Answer, ArmTimer>;

struct Step {
  State next;
  std::vector<Action> actions;
};

// The barrier, the fence or the wait for certain ranks that has been open longest. The sentence names the missing ranks.
struct OpenBarrier {
  std::string sentence;
  TimePoint since;
};
std::optional<OpenBarrier> longest_open(const State& state);

// Errors of calls:
// - failed_precondition: the call's attempt is not the current one ("attempt 2 has ended: rank 3 …"), or it ended
//   while the call waited.
// - not_found: get and remove of a key that is not set.
// - data_loss, only in an attempt that was taken over: list, and get, add, compare_and_set and remove of a key that is
//   not set, because the earlier controller may have had it. A restarted counter or a second leader would be a silent
//   error. set, wait, barrier and fence work as usual.
// - deadline_exceeded: wait names the key and since when it waited. barrier and fence name the missing ranks, at most
//   names_in_message of them. The first deadline fails all waiters of a barrier, since the rank that gave up is missing
//   for the others.
// - invalid_argument: no such rank or world; a rank list that lacks the caller, repeats a rank or exceeds the world; a
//   different rank list than that of the pending barrier; a barrier with the name of a pending fence, or the reverse;
//   add to a value that is not a number; a negative timeout; a key or value above Limits.
// - out_of_range: the sum of an add does not fit into 64 bits.
// - resource_exhausted: the other Limits.
// - aborted: the same rank called the same barrier again (for example after it reconnected): the later call replaces the
//   earlier one.
//
// A compare_and_set that does not match a missing key answers "". A barrier name can be used again once all its waiters
// have been answered. A repeated Asked of the same asker is answered once. `state` is taken by value and moved through,
// so a step costs only what it changes.
Step step(State state, TimePoint now, const Event& event);

}  // namespace muster::rendezvous
