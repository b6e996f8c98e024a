// What one step of the job machine is building up, and the moves its phases share. Internal to machine/job.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/machine/job/job.h"

namespace muster::job {

struct Decision {
  State state;
  TimePoint now;
  std::vector<Action> actions;
  std::string sentence;

  void act(Action action) { actions.push_back(std::move(action)); }
  void say(std::string text);
  void arm(Timer timer, Duration after);  // 0: no such timer
  void cancel(Timer timer);
};

// Attempt + 1: places what is missing, and runs as soon as every node is up.
void begin_attempt(Decision& decision);
// placing → running once every node is up.
void run_if_placed(Decision& decision);
// The attempt failed by `cause`: decides between another attempt and the end.
void fail_attempt(Decision& decision, Cause cause);
// Every rank is to go; `then` happens when all nodes are quiet (perhaps at once).
void stop_attempt(Decision& decision, Then then, Duration grace, const std::string& why, int signal = SIGTERM);
// stopping → what comes then, once every node is quiet.
void settle_if_quiet(Decision& decision);
void finish(Decision& decision, Outcome outcome);

// hang.cc: ranks that do not go on.
void judged(Decision& decision, const Judged& judged);
// No rank is stuck any more: the attempt begins or ends.
void forget_hangs(State& state);

// policy.cc: pure answers.
enum class Verdict { retry_counted, retry_free, give_up };
Verdict verdict(const State& state, const Cause& cause);
std::string why_no_retry(const State& state);  // " (restarts.never_on: exit 2)"; empty: the limit speaks for itself
Duration backoff_delay(State& state);          // draws the jitter
std::string attempt_of(const State& state, Attempt attempt);  // "attempt 2 of 4"

// success.cc: the groups' rules over rank states.
bool groups_succeeded(const State& state);
std::string name_with_place(const State& state, uint32_t rank);  // "rank 3 on node-b"; on one host "rank 3"
std::optional<Cause> first_failure(const State& state, const std::vector<TimePoint>& ended);

}  // namespace muster::job
