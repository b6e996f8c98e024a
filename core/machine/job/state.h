// SPDX-License-Identifier: Apache-2.0
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

// The parts of spec and plan that the machine needs. They do not change while the job exists, except that nodes and ranks of
// an elastic job are those of its newest attempt.
struct Rules {
  struct RankRule {
    std::string name;  // "rank 3"
    NodeIndex node = 0;
    uint32_t group = 0;
    bool operator==(const RankRule&) const = default;
  };
  // Number of ranks of each group. The ranks of a group are consecutive.
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
  uint64_t seed = 1;  // of the backoff's jitter
  std::optional<ElasticMembership> membership;
  bool prepares = false;      // nodes report when their ranks may start (setup.cc)
  bool sets_up = false;       // nodes have a setup to do, not only devices to lease
  bool shared_world = false;  // ranks of one group use the services of another group's node
  // If this is one gang of several (gangs.h): the group's name, and its first node and rank in the job.
  std::string gang;
  NodeIndex first_node = 0;
  uint32_t first_rank = 0;
  bool operator==(const Rules&) const = default;
};
Rules rules_of(const JobSpec& spec, const Plan& plan, uint64_t seed);

struct NodeState {
  enum class Phase { absent, placing, up } phase = Phase::absent;
  Incarnation incarnation = 0;
  bool quiet = true;     // no process is alive there, by its last report; a lost node is quiet
  Attempt reported = 0;  // the attempt of its last report
  std::string token;     // its backend uses it to find the agent again after a takeover
  // Since when its link is down. The node may be lost, or its link may come back.
  std::optional<TimePoint> unreachable;
  // Elastic jobs: how many ranks it takes, whether it is part of the newest attempt, and whether it leaves after that.
  uint32_t share = 0;
  bool member = false;
  bool leaving = false;
  bool prepared = false;  // its setup succeeded
  bool taken = false;     // its machine is being taken from the job
  bool deprived = false;  // it waits only for devices that others hold
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
  uint32_t run = 0;  // run or have run
  uint32_t exited = 0;
  uint32_t succeeded = 0;
  void add(const RankState& rank);
  void add(const RankCounts& other);
};

// The first failure of an attempt.
struct Cause {
  std::string sentence;                          // "rank 1 raised RuntimeError at train.py:41"
  std::optional<uint32_t> rank;                  // absent: a node was lost, a timeout expired …
  ExitStatus exit;                               // of `rank`; without a rank, only `service_failed` may be set
  bool timed_out = false;                        // one of the job's timeouts expired
  bool hung = false;                             // the watchdog stopped it; it did not end by itself
  std::string stack;                             // if hung: the stacks of ranks
  std::optional<NodeIndex> node = std::nullopt;  // the lost node
  bool taken = false;                            // a node was taken from the job, which is no failure of the job
  bool operator==(const Cause&) const = default;
};

// A finding of the watchdog (core/machine/watchdog). stopped: by SIGSTOP or a similar signal. stuck: blocked in the
// kernel. waiting: some ranks wait in a barrier that others have not reached. quiet: no activity, which may be normal.
// hung: no activity, and the ranks hang.
enum class HangKind { none, stopped, stuck, waiting, quiet, hung };

struct Hang {
  HangKind kind = HangKind::none;
  TimePoint since;
  std::string sentence;
  std::string stack;
  bool operator==(const Hang&) const = default;
};
std::string_view to_string(HangKind kind);

// The next step after `stopping`, when every node is quiet.
enum class Then { retry, succeeded, failed, cancelled };

// The state is as large as the job and is passed from step to step. Unchanged parts are shared (shared_vector.h), so an event
// costs only what it changes.
struct State {
  Rules rules;
  Phase phase = Phase::queued;
  Outcome outcome = Outcome::none;
  Attempt attempt = 0;                  // 0: none has begun
  uint32_t restarts = 0;                // counted against the limit
  std::vector<TimePoint> restarted_at;  // used if only restarts within a window count
  uint32_t consecutive_failures = 0;    // failed attempts in a row, for the backoff
  uint32_t crashes_alike = 0;           // attempts in a row that failed early in the same way
  uint32_t regroupings = 0;             // attempts that ended because a host joined; they use no restart
  uint32_t expected = 0;                // hosts of the newest attempt that ran, or of the plan
  SharedVector<NodeState, NodeCounts> nodes;
  SharedVector<RankState, RankCounts> ranks;
  std::optional<Cause> cause;         // of the current or last attempt
  std::optional<Cause> held;          // a failure that is held while a node is unreachable
  std::map<uint32_t, Hang> hangs;     // findings about single ranks, while the attempt runs
  Hang gang_hang;                     // the finding about all ranks
  Then then = Then::retry;            // while stopping
  Duration grace{0};                  // while stopping: sent with the desired state
  int signal = SIGTERM;               // likewise
  std::map<Timer, TimePoint> timers;  // armed
  TimePoint submitted;
  TimePoint started;  // start of the first attempt
  TimePoint attempt_started;
  std::optional<TimePoint> preparing;  // since when the attempt waits only for the setup of nodes
  TimePoint ended;
  bool all_running = false;  // all ranks of the attempt run, or have run and exited
  TimePoint failed_at;       // of the last failure, for "running again after"
  Duration retry_after{0};   // while stopping with Then::retry: the backoff that follows
  Random random{1};
  std::string sentence;  // of the last decision
  // If every group restarts by itself: one state for each gang (gangs.h). The members above combine them.
  std::vector<State> gangs;
  // In the state of a gang: the job's newest attempt, and how many attempts of other gangs are due to begin.
  Attempt newest = 0;
  uint32_t to_come = 0;
  bool operator==(const State&) const = default;
};

}  // namespace muster::job
