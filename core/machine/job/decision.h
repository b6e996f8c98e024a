// What one step of the job machine is building up, and the moves its phases share. Internal to machine/job.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/machine/job/job.h"

namespace muster::job {

using Ranks = SharedVector<RankState, RankCounts>;
// When ranks ended of which a report tells.
using Ends = std::map<uint32_t, TimePoint>;

struct Decision {
  State state;
  TimePoint now;
  std::vector<Action> actions;
  std::string sentence;

  void act(Action action) { actions.push_back(std::move(action)); }
  void say(std::string text);
  void add(const std::string& text);      // behind what this step has said
  void arm(Timer timer, Duration after);  // 0: no such timer
  void cancel(Timer timer);
};

// Takes one event.
void decide(Decision& decision, const Event& event);
// It was to be in the queue for so long at most, or to run.
void queue_timed_out(Decision& decision);
std::string ran_too_long(const State& state);
// "the job"; of one gang among several "group trainer".
std::string whole_of(const State& state);
std::string of_gang(const State& state);  // " of group trainer"; empty: of the job

// gangs.cc: where every group is a gang of its own.
void begin_gangs(State& state);  // as the rules say
void decide_for_gangs(Decision& decision, const Event& event);
// What one gang wants, in the job's numbers; its timers and its end are the job's to tell.
void add_of_gang(std::vector<Action>& actions, const State& job, uint32_t gang, const Action& action);

// The next attempt: places what is missing, and runs as soon as every node is up.
void begin_attempt(Decision& decision);
// placing → running once every node is up; where hosts come and go, once enough are there and, unless `called`, nobody more is
// waited for.
void run_if_placed(Decision& decision, bool called = false);
// The attempt failed by `cause`: decides between another attempt and the end.
void fail_attempt(Decision& decision, Cause cause);
// Every rank is to go; `then` happens when all nodes are quiet (perhaps at once).
void stop_attempt(Decision& decision, Then then, Duration grace, const std::string& why, int signal = SIGTERM);
// stopping → what comes then, once every node is quiet.
void settle_if_quiet(Decision& decision);
void finish(Decision& decision, Outcome outcome);

// membership.cc: hosts that come and go (Rules::membership).
bool gathers(const State& state);
bool takes_part(const State& state, NodeIndex node);  // in the newest attempt
// Every node that is absent is placed; and where hosts come, one place stays open while there are fewer than the most.
void open_places(Decision& decision);
// Whether the attempt may begin with those who are there; no: for whom it waits is armed and told.
bool gathered(Decision& decision);
// Deals the ranks to those who are there.
void deal(Decision& decision);
void welcome(Decision& decision, NodeIndex node);  // it is up
// A node that was lost and whose loss fails no attempt. False: it does, or hosts do not come and go.
bool miss(Decision& decision, const NodeState& was, const std::string& sentence);
void last_call_is_over(Decision& decision);
// Whether who is asked to stop on one host can leave to the others what they do; and that it does.
bool may_leave(const State& state, const StopAsked& asked);
void leave(Decision& decision, const StopAsked& asked);
void say_goodbye(Decision& decision);  // to those that leave, once all is quiet
std::string who_is_missed(const State& state);

// setup.cc: what is done on nodes before ranks begin there.
// Of an attempt whose nodes are all up.
bool waits_for_setup(Decision& decision);
void set_up(Decision& decision, const Reported& report);
void setup_failed(Decision& decision, const std::string& why);
void setup_timed_out(Decision& decision);

// unreachable.cc: failures while a node may be lost.
// True: it waits for the verdict on that node.
bool hold(Decision& decision, const Cause& cause);
void mark_unreachable(Decision& decision, NodeIndex node);
bool mark_reachable(Decision& decision, NodeIndex node);  // false: it was not unreachable
void unreachable_timeout(Decision& decision);
// Whether an attempt should not begin yet: who is there may be lost.
bool waits_for_verdict(const State& state);
// While the attempt is being stopped because a rank lost a peer: the peer, once it is known, is the cause. `before`: how far the
// ranks were known to be before the report.
void blame_peer(Decision& decision, const Reported& report, const Ranks& before);
// Of a node that was lost while the attempt is being stopped: what failed on another may be its work.
void blame(Decision& decision, NodeIndex node, const NodeState& was, const std::string& sentence);

// hang.cc: ranks that do not go on.
void judged(Decision& decision, const Judged& judged);
// No rank is stuck any more: the attempt begins or ends.
void forget_hangs(State& state);

// policy.cc: pure answers.
enum class Verdict { retry_counted, retry_free, give_up };
Verdict verdict(const State& state, const Cause& cause, TimePoint now);
// Whether a failure like this ends the job however many restarts are left.
bool is_final(const State& state, const Cause& cause);
void count_restart(State& state, TimePoint now);
// How many attempts in a row have soon failed like `cause`, this one included; 0: it is no crash, or came late.
uint32_t crashes_alike(const State& state, const Cause& cause, TimePoint now);
std::string why_no_retry(const State& state);  // " (restarts.never_on: exit 2)"; empty: the limit speaks for itself
Duration backoff_delay(State& state);          // draws the jitter
std::string attempt_of(const State& state, Attempt attempt);  // "attempt 2 of 4"

Cause lost(NodeIndex node, const std::string& sentence);

// success.cc: the groups' rules over rank states.
bool groups_succeeded(const State& state);
std::string name_with_place(const State& state, uint32_t rank);  // "rank 3 on node-b"; on one host "rank 3"
std::optional<Cause> first_failure(const State& state, const Ends& ended);

}  // namespace muster::job
