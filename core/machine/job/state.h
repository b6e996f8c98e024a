// The state of the job machine, and the rules it is driven by. Values.
#pragma once

#include <csignal>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/ids.h"
#include "core/base/random.h"
#include "core/base/shared_vector.h"
#include "core/base/time.h"
#include "core/job/exit_status.h"
#include "core/job/job_spec.h"
#include "core/job/plan/plan.h"
#include "core/job/rank_phase.h"

namespace muster::job {

enum class Phase { queued, placing, running, stopping, backoff, done };
enum class Outcome { none, succeeded, failed, cancelled };
enum class Timer { queue, start, run, backoff, stop, last_call, unreachable, setup };

std::string_view to_string(Phase phase);
std::string_view to_string(Outcome outcome);
std::string_view to_string(Timer timer);

// What the machine needs of spec and plan; fixed for the job's life, but for nodes and ranks where hosts come and go: those are the
// newest attempt's.
struct Rules {
  struct RankRule {
    std::string name;  // "rank 3"
    NodeIndex node = 0;
    uint32_t group = 0;
    bool operator==(const RankRule&) const = default;
  };
  // How many ranks each group has: groups follow each other.
  struct RankCounts {
    std::vector<uint32_t> by_group;
    void add(const RankRule& rank) { ++of(rank.group); }
    void add(const RankCounts& other);
    uint32_t& of(uint32_t group);
  };
  SharedVector<std::string> nodes;           // host names, by node index
  SharedVector<RankRule, RankCounts> ranks;  // by plan index
  std::vector<SuccessRule> groups;           // by group index
  std::vector<std::string> group_names;
  RestartSpec restarts;
  TimeoutSpec timeouts;
  HangSpec hangs;
  uint64_t seed = 1;  // of the jitter
  std::optional<ElasticMembership> membership;
  bool prepares = false;  // nodes say when ranks may begin there (setup.cc)
  bool sets_up = false;   // … and have more to do for it than to lease devices
  // Of one gang among several (gangs.h): the group's name, and its first node and rank in the job.
  std::string gang;
  NodeIndex first_node = 0;
  uint32_t first_rank = 0;
  bool operator==(const Rules&) const = default;
};
Rules rules_of(const JobSpec& spec, const Plan& plan, uint64_t seed);

struct NodeState {
  enum class Phase { absent, placing, up } phase = Phase::absent;
  Incarnation incarnation = 0;
  bool quiet = true;     // by its last report; a lost node is quiet
  Attempt reported = 0;  // the attempt of its last report
  std::string token;     // by which its backend finds the agent again after a takeover
  // Since when its link is down: perhaps it is lost, perhaps its link comes back.
  std::optional<TimePoint> unreachable;
  // Where hosts come and go: the ranks it takes, whether it is part of the newest attempt, and whether it goes after it.
  uint32_t share = 0;
  bool member = false;
  bool leaving = false;
  bool prepared = false;  // its setup is over, well
  bool taken = false;     // its machine is taken from the job
  bool deprived = false;  // others have its devices, and nothing else is waited for
  bool operator==(const NodeState&) const = default;
};

struct NodeCounts {
  uint32_t up = 0;
  uint32_t quiet = 0;
  uint32_t unreachable = 0;
  uint32_t prepared = 0;
  uint32_t taken = 0;
  void add(const NodeState& node);
  void add(const NodeCounts& other);
};

struct RankState {
  RankPhase phase = RankPhase::waiting;
  ExitStatus exit;
  bool operator==(const RankState&) const = default;
};

struct RankCounts {
  uint32_t run = 0;  // or have run
  uint32_t exited = 0;
  uint32_t succeeded = 0;
  void add(const RankState& rank);
  void add(const RankCounts& other);
};

// The first failure of an attempt.
struct Cause {
  std::string sentence;          // "rank 1 raised RuntimeError at train.py:41"
  std::optional<uint32_t> rank;  // absent: a node was lost, a timeout ran out …
  ExitStatus exit;
  bool timed_out = false;                        // one of the job's timeouts ran out
  bool hung = false;                             // it did not end by itself: muster ended it
  std::string stack;                             // then: where ranks stood
  std::optional<NodeIndex> node = std::nullopt;  // that was lost
  bool taken = false;                            // a node was taken from the job: it has not failed
  bool operator==(const Cause&) const = default;
};

// What keeps ranks of an attempt from going on (machine/watchdog). stopped: by SIGSTOP or the like. stuck: in a wait of the
// kernel. waiting: ranks have come to a barrier, others have not. quiet: no sign of life, which need not be wrong. hung:
// it is.
enum class HangKind { none, stopped, stuck, waiting, quiet, hung };

struct Hang {
  HangKind kind = HangKind::none;
  TimePoint since;
  std::string sentence;
  std::string stack;
  bool operator==(const Hang&) const = default;
};
std::string_view to_string(HangKind kind);

// What `stopping` leads to once every node is quiet.
enum class Then { retry, succeeded, failed, cancelled };

// As large as the job, and passed from step to step: what does not change is shared (shared_vector.h), so that an event costs what it
// changes.
struct State {
  Rules rules;
  Phase phase = Phase::queued;
  Outcome outcome = Outcome::none;
  Attempt attempt = 0;                  // 0: none begun
  uint32_t restarts = 0;                // counted against the limit
  std::vector<TimePoint> restarted_at;  // where only those within a window count
  uint32_t consecutive_failures = 0;    // of attempts, for the backoff
  uint32_t crashes_alike = 0;           // attempts in a row that soon failed in one way
  uint32_t regroupings = 0;             // attempts that ended because a host came: no restarts
  uint32_t expected = 0;                // hosts of the newest attempt that ran, or of the plan
  SharedVector<NodeState, NodeCounts> nodes;
  SharedVector<RankState, RankCounts> ranks;
  std::optional<Cause> cause;         // of the current or last attempt
  std::optional<Cause> held;          // a failure that waits for the verdict on a node unreachable
  std::map<uint32_t, Hang> hangs;     // of ranks of the attempt, while it runs
  Hang gang_hang;                     // of all of them
  Then then = Then::retry;            // while stopping
  Duration grace{0};                  // while stopping: what the desired state says
  int signal = SIGTERM;               // likewise
  std::map<Timer, TimePoint> timers;  // armed
  TimePoint submitted;
  TimePoint started;  // the first attempt's
  TimePoint attempt_started;
  std::optional<TimePoint> preparing;  // since when only the setup of nodes is waited for
  TimePoint ended;
  bool all_running = false;  // the attempt's ranks all ran (or had run and exited)
  TimePoint failed_at;       // of the last failure, for "running again after"
  Duration retry_after{0};   // while stopping with Then::retry: the backoff to come
  Random random{1};
  std::string sentence;  // of the last decision
  // Where every group begins anew by itself: each as a job of its own (gangs.h), of which the above is the sum.
  std::vector<State> gangs;
  // Of a gang: the job's newest attempt, and how many of other gangs are to come.
  Attempt newest = 0;
  uint32_t to_come = 0;
  bool operator==(const State&) const = default;
};

}  // namespace muster::job
