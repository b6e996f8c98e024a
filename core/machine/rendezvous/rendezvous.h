// The rendezvous machine: key-value, barrier and fence of one job, keyed by attempt. Pure (DESIGN.md §5).
//
// Everything belongs to the attempt: when the next one begins, keys, barriers and waiters of the last are gone,
// and who still waits is told why. It assigns nothing; ranks are fixed by the plan.
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
// A new attempt begins with these worlds (each a list of member names by rank); what is left of the old one ends
// with `why`. An attempt at or below the current one changes nothing.
struct Begun {
  Attempt attempt = 0;
  std::vector<std::vector<std::string>> worlds;
  std::string why;
  bool taken_over = false;  // it was under way before we knew of it: keys may have been set
};
// The attempt is over (a rank failed, the job stops): waiters fail with `why`; later calls of it too.
struct Ended {
  Attempt attempt = 0;
  std::string why;
};
// An asker's channel is gone: its waiters are forgotten without an answer.
struct ChannelLost {
  uint64_t channel = 0;
};
struct TimerFired {};
using Event = std::variant<Asked, Begun, Ended, ChannelLost, TimerFired>;

// One answer for all who get the same, so that a fence of n ranks costs n values and not n².
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

// The barrier or fence that has been open longest, and who has not come.
struct OpenBarrier {
  std::string sentence;
  TimePoint since;
};
std::optional<OpenBarrier> longest_open(const State& state);

// Errors and when:
// - failed_precondition: the call's attempt is not the current one ("attempt 2 has ended: rank 3 …"), or it ended
//   while waiting.
// - not_found: get, remove.
// - data_loss, in an attempt that was taken over: get, add, compare_and_set and remove of a key that is not set, for it
//   may have been; list. A
//   counter that began anew, or a second leader, would be wrong without a word. set, wait, barrier and fence work on.
// - deadline_exceeded: wait names the key and since when. barrier and fence name who is missing, at most
//   names_in_message, and the first deadline fails all who wait there: one who gave up would not be there for the
//   others.
// - invalid_argument: no such rank or world; a rank list that lacks the asker, repeats or exceeds the world; an asker
//   of a name under way with another rank list, or of a barrier where a fence waits; add to a value that is no
//   number; a negative timeout; a key or value above Limits.
// - out_of_range: an add whose sum leaves 64 bits.
// - resource_exhausted: the other Limits.
// - aborted: the same rank asked for the same barrier again (it dialled anew, perhaps): the later one takes the place.
//
// A compare_and_set that does not match a missing key answers "". A barrier name can be used again once all have been
// answered. A repeated Asked of the same asker is answered once. `state` is taken by value and moved through, so a
// step costs what it changes.
Step step(State state, TimePoint now, const Event& event);

}  // namespace muster::rendezvous
