// SPDX-License-Identifier: Apache-2.0
// Decision: the result that one step of the job machine builds, and the functions that its phases share. Internal to
// core/machine/job.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/machine/job/job.h"

namespace muster::job {

using Ranks = SharedVector<RankState, RankCounts>;
// End times of the ranks in a report, by plan index.
using Ends = std::map<uint32_t, TimePoint>;

struct Decision {
  State state;
  TimePoint now;
  std::vector<Action> actions;
  std::string sentence;

  void act(Action action) { actions.push_back(std::move(action)); }
  void say(std::string text);
  void add(const std::string& text);      // appended to the sentence of this step
  void arm(Timer timer, Duration after);  // 0: no such timer
  void cancel(Timer timer);
};

// Applies one event.
void decide(Decision& decision, const Event& event);
// timeouts.queue expired: ends the job.
void queue_timed_out(Decision& decision);
std::string ran_too_long(const State& state);  // the cause when timeouts.run expires
// "the job", or "group trainer" if `state` is one gang of several.
std::string whole_of(const State& state);
std::string of_gang(const State& state);  // " of group trainer"; empty if `state` is the whole job

// gangs.cc: jobs in which every group is a gang of its own.
void begin_gangs(State& state);  // fills State::gangs if the rules ask for it
void decide_for_gangs(Decision& decision, const Event& event);
// Adds an action of one gang, with the job's node and rank numbers. Timers and Finish are left out: the job emits its own.
void add_of_gang(std::vector<Action>& actions, const State& job, uint32_t gang, const Action& action);

// Begins the next attempt: places the missing nodes, and runs as soon as every node is up.
void begin_attempt(Decision& decision);
// placing → running when every node is up. In an elastic job: when enough hosts are up and, unless `called`, the last
// call is over.
void run_if_placed(Decision& decision, bool called = false);
// The attempt failed because of `cause`: decides between another attempt and the end of the job.
void fail_attempt(Decision& decision, Cause cause);
// Stops every rank. `then` happens when all nodes are quiet, possibly in this step.
void stop_attempt(Decision& decision, Then then, Duration grace, const std::string& why, int signal = SIGTERM);
// stopping → State::then, if every node is quiet.
void settle_if_quiet(Decision& decision);
void finish(Decision& decision, Outcome outcome);

// membership.cc: elastic jobs, whose hosts join and leave (Rules::membership).
bool is_elastic(const State& state);
bool takes_part(const State& state, NodeIndex node);  // in the newest attempt
// Places every absent node. An elastic job also keeps one place open while it has fewer hosts than the maximum.
void open_places(Decision& decision);
// True if the attempt may begin with the hosts that are up. If not, arms the timer and says which hosts are missing.
bool enough_hosts(Decision& decision);
// Assigns the ranks to the hosts that are up.
void assign_ranks(Decision& decision);
void host_joined(Decision& decision, NodeIndex node);
// Handles the loss of a node that fails no attempt. False: the loss fails the attempt, or the job is not elastic.
bool absorb_loss(Decision& decision, const NodeState& was, const std::string& sentence);
void last_call_ended(Decision& decision);
// Whether a stop on one host can remove this host while the others continue; leave() removes it.
bool can_leave(const State& state, const StopAsked& asked);
void leave(Decision& decision, const StopAsked& asked);
void release_leaving(Decision& decision);  // the nodes that leave, once all nodes are quiet
std::string too_few_hosts(const State& state);

// setup.cc: the setup of nodes before their ranks start.
// For an attempt whose nodes are all up: true while the setup of any of them is not finished.
bool waits_for_setup(Decision& decision);
void note_setup(Decision& decision, const Reported& report);
void setup_failed(Decision& decision, const std::string& why);
void setup_timed_out(Decision& decision);

// unreachable.cc: failures while a node is unreachable and may be lost.
// True: `cause` is held until that node is reachable again or lost.
bool hold_failure(Decision& decision, const Cause& cause);
void mark_unreachable(Decision& decision, NodeIndex node);
bool mark_reachable(Decision& decision, NodeIndex node);  // false: it was reachable already
void unreachable_timeout(Decision& decision);
// True if an attempt should not begin yet, because a node that counts as up is unreachable.
bool awaits_unreachable_node(const State& state);
// While the attempt stops because a rank lost its peer: makes the failure of that peer the cause, once it is reported.
// `before`: the ranks before this report.
void blame_peer(Decision& decision, const Reported& report, const Ranks& before);
// A node is lost while the attempt stops: makes the loss the cause if it explains the failure on another node.
void blame_lost_node(Decision& decision, NodeIndex node, const NodeState& was, const std::string& sentence);

// hang.cc: findings of the watchdog.
void handle_judged(Decision& decision, const Judged& judged);
// Clears all findings, because the attempt begins or ends.
void forget_hangs(State& state);

// policy.cc: pure answers.
enum class Verdict { retry_counted, retry_free, give_up };
Verdict verdict(const State& state, const Cause& cause, TimePoint now);
// True if this failure ends the job, even if restarts are left.
bool is_final(const State& state, const Cause& cause);
void count_restart(State& state, TimePoint now);
// Number of consecutive attempts, this one included, that failed in the same way soon after their start. 0: this failure is
// no crash, or it came late.
uint32_t crashes_alike(const State& state, const Cause& cause, TimePoint now);
std::string why_no_retry(const State& state);  // " (restarts.never_on: exit 2)"; empty: the restart limit is reached
Duration backoff_delay(State& state);          // draws the jitter
std::string attempt_of(const State& state, Attempt attempt);  // "attempt 2 of 4"

Cause lost(NodeIndex node, const std::string& sentence);

// success.cc: the success rules of groups, applied to rank states.
bool groups_succeeded(const State& state);
// "rank 3 on node-b"; "rank 3" if all ranks are on one host.
std::string name_with_place(const State& state, uint32_t rank);
std::optional<Cause> first_failure(const State& state, const Ends& ended);

}  // namespace muster::job
