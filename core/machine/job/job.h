// The job machine: queued → placing → running → stopping → backoff → … → done. Pure (DESIGN.md §5).
//
// It knows nodes by index and ranks by their place in the plan; it starts no process and knows no backend. Its state is
// the fold of the journal: every event that changed it was journaled first (runtime/coordinator), and replaying them
// gives it again.
#pragma once

#include <csignal>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/machine/job/state.h"

namespace muster::job {

// The queue has room for the whole gang.
struct Admitted {
  bool operator==(const Admitted&) const = default;
};
// An agent is bound to the node and has said hello.
struct NodeUp {
  NodeIndex node = 0;
  Incarnation incarnation = 0;
  std::string token;
  std::string host;       // where hosts come by themselves: which; empty: the one that is planned
  uint32_t ranks = 0;     // and how many ranks it takes; 0: as planned
  Duration code_took{0};  // since the job's code was on its way there; zero: it brings none
  bool operator==(const NodeUp&) const = default;
};
struct PlaceFailed {
  NodeIndex node = 0;
  std::string reason;
  bool operator==(const PlaceFailed&) const = default;
};
// Nothing of the node can be alive any more.
struct NodeLost {
  NodeIndex node = 0;
  std::string reason;
  bool taken = false;  // from the job, by those whose machine it is
  bool operator==(const NodeLost&) const = default;
};
// The link to the node is down or silent. A report takes it back, NodeLost confirms it.
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
// What a node says is true there: all its ranks of `attempt`. quiet: no process of any attempt is alive on it.
struct Reported {
  NodeIndex node = 0;
  Incarnation incarnation = 0;
  Attempt attempt = 0;
  bool quiet = false;
  std::vector<RankFact> ranks;
  bool prepared = false;   // its setup is over, well …
  std::string unprepared;  // … or why it failed
  bool taken = false;      // its machine is taken from the job, and its ranks end therefore
  std::string devices;     // … or who has the devices that alone are waited for
  bool operator==(const Reported&) const = default;
};
struct TimerFired {
  Timer timer = Timer::queue;
  bool operator==(const TimerFired&) const = default;
};
// grace 0: kill. By the user, or by muster with a sentence in `why`.
struct StopAsked {
  Duration grace{0};
  std::string why;
  int signal = SIGTERM;  // what ranks get first
  // Asked on this host, which then leaves where the others can go on.
  std::optional<NodeIndex> node;
  bool operator==(const StopAsked&) const = default;
};
// What the watch over the ranks found of one of them, or of all (no rank). none: it goes on again.
struct Judged {
  Attempt attempt = 0;
  std::optional<uint32_t> rank;
  HangKind kind = HangKind::none;
  TimePoint since;
  std::string where;  // where it stands, or who is waited for; empty: nobody could see
  std::string stack;  // in lines
  uint32_t gang = 0;  // without a rank: whose ranks are meant (gangs.h)
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
// Repeated by the runtime every beat.
struct DesiredState {
  NodeIndex node = 0;
  Attempt attempt = 0;
  bool run = false;
  Duration grace{0};
  int signal = SIGTERM;
  bool operator==(const DesiredState&) const = default;
};
// One timer of each kind at a time; `at` replaces the earlier one.
struct ArmTimer {
  Timer timer = Timer::queue;
  TimePoint at;
  bool operator==(const ArmTimer&) const = default;
};
struct CancelTimer {
  Timer timer = Timer::queue;
  bool operator==(const CancelTimer&) const = default;
};
// The rendezvous of a gang's attempt begins, or ends with the sentence for its waiters.
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
  std::string sentence;  // why, for people; empty when nothing worth telling happened
};

// The job before its first event. `queue_deadline` etc. come from the rules.
Step submitted(const Rules& rules, TimePoint now);

Step step(State state, TimePoint now, const Event& event);

// What the state desired states of the world right now, whether or not it was said before: for repeating levels and
// for a controller that takes the job over. Timers included.
std::vector<Action> standing_actions(const State& state);

}  // namespace muster::job
