// SPDX-License-Identifier: Apache-2.0
// The job machine: queued → placing → running → stopping → backoff → … → done. Pure (docs/design/job-machine.md).
//
// Nodes are identified by index and ranks by plan index. The machine starts no process and knows no backend. Every event
// that changes the state is written to the journal first (core/coordinator), so replaying the journal restores the state.
#pragma once

#include <csignal>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/machine/job/state.h"

namespace muster::job {

// The queue lets the job start: the free capacity suffices for all its nodes.
struct Admitted {
  bool operator==(const Admitted&) const = default;
};
// An agent is bound to the node and has sent its hello.
struct NodeUp {
  NodeIndex node = 0;
  Incarnation incarnation = 0;
  std::string token;
  std::string host;       // elastic jobs: the name of the host that joined; empty: the planned one
  uint32_t ranks = 0;     // elastic jobs: how many ranks the host takes; 0: as planned
  Duration code_took{0};  // how long the delivery of the job's code took; zero: no code was delivered
  std::string role = {};  // elastic jobs: of the host's ranks; the machine only carries it
  bool operator==(const NodeUp&) const = default;
};
struct PlaceFailed {
  NodeIndex node = 0;
  std::string reason;
  bool operator==(const PlaceFailed&) const = default;
};
// The node is lost: no process of the job can be alive on it any more.
struct NodeLost {
  NodeIndex node = 0;
  std::string reason;
  bool taken = false;  // the owner of the machine took it from the job
  bool operator==(const NodeLost&) const = default;
};
// The link to the node is down or silent: the node is unreachable, until it reports again or is lost.
struct LinkDown {
  NodeIndex node = 0;
  bool operator==(const LinkDown&) const = default;
};
struct RankFact {
  uint32_t index = 0;
  RankPhase phase = RankPhase::starting;
  ExitStatus exit;
  TimePoint ended;
  bool operator==(const RankFact&) const = default;
};
// A report of a node: its ranks of `attempt`, perhaps without exits that are known. quiet: no process of any attempt is alive
// on it.
struct Reported {
  NodeIndex node = 0;
  Incarnation incarnation = 0;
  Attempt attempt = 0;
  bool quiet = false;
  std::vector<RankFact> ranks;
  bool prepared = false;   // its setup succeeded
  std::string unprepared;  // why its setup failed; empty: it did not
  bool taken = false;      // its machine is being taken from the job, so its ranks end
  std::string devices;     // who holds the devices it waits for, if nothing else is missing; empty: it waits for none
  std::string service_failure;  // why a service on it failed after the ranks had started; empty: none did
  bool operator==(const Reported&) const = default;
};
struct TimerFired {
  Timer timer = Timer::queue;
  bool operator==(const TimerFired&) const = default;
};
// The user or muster stops the job; `why` is a sentence. grace 0: kill at once.
struct StopAsked {
  Duration grace{0};
  std::string why;
  int signal = SIGTERM;  // the first signal that ranks get
  // The stop was requested on this node. If the other nodes can continue without it, only this node leaves.
  std::optional<NodeIndex> node;
  bool operator==(const StopAsked&) const = default;
};
// A finding of the watchdog, about one rank, or without `rank` about a whole gang. none: the earlier finding is over.
struct Judged {
  Attempt attempt = 0;
  std::optional<uint32_t> rank;
  HangKind kind = HangKind::none;
  TimePoint since;
  std::string where;  // where the ranks are blocked, or for which ranks they wait; empty: unknown
  std::string stack;  // lines
  uint32_t gang = 0;  // if there is no rank: the gang (gangs.h)
  bool operator==(const Judged&) const = default;
};
using Event = std::variant<Admitted, NodeUp, PlaceFailed, NodeLost, LinkDown, Reported, TimerFired, StopAsked, Judged>;

struct Place {
  NodeIndex node = 0;
  bool operator==(const Place&) const = default;
};
struct Release {
  NodeIndex node = 0;
  bool operator==(const Release&) const = default;
};
// The coordinator repeats it every heartbeat.
struct DesiredState {
  NodeIndex node = 0;
  Attempt attempt = 0;
  bool run = false;
  Duration grace{0};
  int signal = SIGTERM;
  bool operator==(const DesiredState&) const = default;
};
// There is one timer of each kind; `at` replaces its earlier time.
struct ArmTimer {
  Timer timer = Timer::queue;
  TimePoint at;
  bool operator==(const ArmTimer&) const = default;
};
struct CancelTimer {
  Timer timer = Timer::queue;
  bool operator==(const CancelTimer&) const = default;
};
// The rendezvous of a gang's attempt begins, or ends; its waiters get the sentence `why`.
struct BeginAttempt {
  Attempt attempt = 0;
  uint32_t gang = 0;
  bool operator==(const BeginAttempt&) const = default;
};
struct EndAttempt {
  Attempt attempt = 0;
  std::string why;
  uint32_t gang = 0;
  bool operator==(const EndAttempt&) const = default;
};
struct Finish {
  Outcome outcome = Outcome::none;
  bool operator==(const Finish&) const = default;
};
using Action = std::variant<Place, Release, DesiredState, ArmTimer, CancelTimer, BeginAttempt, EndAttempt, Finish>;

struct Step {
  State next;
  std::vector<Action> actions;
  std::string sentence;  // what happened and why, for people; empty: nothing to report
};

// The job before its first event.
Step submitted(const Rules& rules, TimePoint now);

Step step(State state, TimePoint now, const Event& event);

// All actions that the state currently requires, timers included, whether they were emitted before or not. Used to repeat
// desired states, and by a controller that takes the job over.
std::vector<Action> standing_actions(const State& state);

}  // namespace muster::job
