// SPDX-License-Identifier: Apache-2.0
// The phases of an attempt: begin, run, fail, stop, settle, finish.

#include <algorithm>
#include <csignal>

#include "core/base/text.h"
#include "core/machine/job/decision.h"
#include "core/machine/job/gangs.h"

namespace muster::job {
namespace {

// A node that is not quiet this long after the grace is reported, or this long after the grace of its leftovers.
constexpr Duration kStopPatience = std::chrono::seconds(10);
constexpr Duration kLeftoverPatience = std::chrono::seconds(5);

void send_all(Decision& decision, bool run) {
  State& state = decision.state;
  for (NodeIndex n = 0; n < state.nodes.size(); ++n) {
    if (state.nodes[n].phase == NodeState::Phase::up && takes_part(state, n))
      decision.act(DesiredState{n, state.attempt, run, state.grace, state.signal});
  }
}

bool all_placed(const State& state) { return state.nodes.total().up == state.nodes.size(); }

// True if no process of the node can be alive. If the whole job ends, an unreachable node is not waited for either: its agent
// ends the ranks by itself.
bool is_settled(const State& state, const NodeState& node) {
  const bool hurried = state.then == Then::failed && state.grace <= Duration(0);
  return node.quiet || (node.unreachable && (state.then == Then::cancelled || hurried));
}

bool all_settled(const State& state) {
  const NodeCounts counts = state.nodes.total();
  if (counts.quiet == state.nodes.size() || counts.unreachable == 0) return counts.quiet == state.nodes.size();
  return std::all_of(state.nodes.begin(), state.nodes.end(),
                     [&](const NodeState& node) { return is_settled(state, node); });
}

// An attempt that ran for longer than this is not part of a crash loop.
constexpr Duration kLongAttempt = std::chrono::minutes(10);

std::string restarting(const State& state) {
  return state.rules.gang.empty() ? "restarting" : whole_of(state) + " is restarting";
}

std::string in_a_while(Duration delay) { return delay > Duration(0) ? ", in " + humane_duration(delay) : ""; }

void retry(Decision& decision) {
  State& state = decision.state;
  if (state.retry_after == Duration(0)) return begin_attempt(decision);
  state.phase = Phase::backoff;
  decision.arm(Timer::backoff, state.retry_after);
}

// Names the ranks that did not end within the grace.
std::string killed_at_last(const State& state) {
  if (state.grace <= Duration(0)) return "";
  std::vector<std::string> names;
  for (size_t i = 0; i < state.ranks.size(); ++i) {
    const ExitStatus& exit = state.ranks[i].exit;
    const bool killed = exit.kind == ExitStatus::Kind::signalled && exit.signal == SIGKILL && !exit.oom;
    if (killed) names.push_back(state.rules.ranks[i].name);
  }
  if (names.empty()) return "";
  return "; " + short_list(names, 4) + " did not end within " + humane_duration(state.grace) + " and " +
         (names.size() == 1 ? "was" : "were") + " killed";
}

// The ranks of an ignored group may have failed, so it "ended".
std::string end_of(const State& state) {
  return state.rules.groups.front() == SuccessRule::ignore ? " ended" : " succeeded";
}

// With restarts.mode none the other ranks continue after a failure, so several may fail.
std::string and_more(const State& state) {
  if (state.rules.restarts.mode != RestartMode::none) return "";
  const auto failed = std::count_if(state.ranks.begin(), state.ranks.end(), [](const RankState& rank) {
    return rank.phase == RankPhase::exited && !rank.exit.success();
  });
  return failed > 1 ? "; " + count_of(static_cast<uint64_t>(failed), "rank") + " failed in total" : "";
}

// The attempt in which the cause happened: the newest of the job, or of its gang.
Attempt attempt_of_cause(const State& state) {
  if (!state.cause || state.gangs.empty()) return state.attempt;
  if (state.cause->node) return attempt_on(state, *state.cause->node);
  return state.cause->rank ? attempt_on(state, state.rules.ranks[*state.cause->rank].node) : state.attempt;
}

// Names the hosts that were unreachable when the job ended. In a job that is not elastic, processes may still run there.
std::string left_behind(const State& state) {
  std::vector<std::string> hosts;
  for (size_t n = 0; n < state.nodes.size(); ++n) {
    if (!is_elastic(state) && !state.nodes[n].quiet && state.nodes[n].unreachable)
      hosts.push_back(state.rules.nodes[n]);
  }
  if (hosts.empty()) return "";
  const bool one = hosts.size() == 1;
  return "; " + short_list(hosts, 4) + (one ? " is" : " are") + " unreachable: muster ends " + (one ? "its" : "their") +
         " processes if " + (one ? "it reconnects" : "they reconnect") + " within 10 min";
}

// The last sentence. Empty for a gang that failed or was cancelled: the job's own sentence reports that.
std::string ending(const State& state, Outcome outcome, TimePoint now) {
  const std::string cause = state.cause ? state.cause->sentence : "";
  const std::string took = humane_duration(now - (state.attempt > 0 ? state.started : state.submitted));
  if (!state.rules.gang.empty())
    return outcome == Outcome::succeeded ? whole_of(state) + end_of(state) + " in " + took : "";
  if (outcome == Outcome::succeeded) return "succeeded in " + took;
  if (outcome == Outcome::cancelled)
    return "cancelled" + (cause.empty() ? "" : ": " + cause) + killed_at_last(state) + left_behind(state);
  const std::string attempts = state.attempt > 1 ? ", in " + attempt_of(state, attempt_of_cause(state)) : "";
  return "failed: " + cause + why_no_retry(state) + and_more(state) + attempts + left_behind(state);
}

}  // namespace

void Decision::say(std::string text) {
  sentence = text;
  state.sentence = std::move(text);
}

void Decision::add(const std::string& text) { say(sentence.empty() ? text : sentence + "; " + text); }

void Decision::arm(Timer timer, Duration after) {
  if (after <= Duration(0)) return;
  state.timers[timer] = now + after;
  act(ArmTimer{timer, now + after});
}

void Decision::cancel(Timer timer) {
  if (state.timers.erase(timer) > 0) act(CancelTimer{timer});
}

void begin_attempt(Decision& decision) {
  State& state = decision.state;
  if (state.attempt == 0) {
    state.started = decision.now;
    decision.arm(Timer::run, state.rules.timeouts.run);
  }
  state.attempt = std::max(state.attempt, state.newest) + 1;
  state.phase = Phase::placing;
  state.attempt_started = decision.now;
  state.all_running = false;
  forget_hangs(state);
  state.retry_after = Duration(0);
  state.preparing.reset();
  state.ranks.assign(state.rules.ranks.size(), RankState{});
  decision.arm(Timer::start, state.rules.timeouts.start);
  open_places(decision);
  run_if_placed(decision);
}

void run_if_placed(Decision& decision, bool called) {
  State& state = decision.state;
  if (state.phase != Phase::placing || awaits_unreachable_node(state)) return;
  if (!(is_elastic(state) ? called || enough_hosts(decision) : all_placed(state))) return;
  if (waits_for_setup(decision)) return;
  if (is_elastic(state)) {
    assign_ranks(decision);
    decision.cancel(Timer::last_call);
    if (decision.now > state.attempt_started) decision.arm(Timer::start, state.rules.timeouts.start);
    state.ranks.assign(state.rules.ranks.size(), RankState{});
  }
  state.phase = Phase::running;
  state.grace = Duration(0);
  for (NodeIndex n = 0; n < state.nodes.size(); ++n) state.nodes.edit(n).quiet = !takes_part(state, n);
  decision.act(BeginAttempt{state.attempt});
  send_all(decision, true);
}

void fail_attempt(Decision& decision, Cause cause) {
  State& state = decision.state;
  cause.taken = cause.taken || state.nodes.total().taken > 0;
  state.crashes_alike = crashes_alike(state, cause, decision.now);
  const Verdict decided = verdict(state, cause, decision.now);
  state.cause = std::move(cause);
  state.failed_at = decision.now;
  // A long attempt resets the backoff.
  if (state.all_running && decision.now - state.attempt_started > kLongAttempt) state.consecutive_failures = 0;
  ++state.consecutive_failures;
  if (decided == Verdict::give_up) {
    decision.say("stopping: " + state.cause->sentence + why_no_retry(state));
    return stop_attempt(decision, Then::failed, state.rules.restarts.grace, state.cause->sentence);
  }
  if (decided == Verdict::retry_counted) count_restart(state, decision.now);
  state.retry_after = backoff_delay(state);
  decision.say(state.cause->sentence + " · " + restarting(state) + ", " +
               attempt_of(state, std::max(state.attempt, state.newest) + 1 + state.to_come) +
               in_a_while(state.retry_after));
  stop_attempt(decision, Then::retry, state.rules.restarts.grace, state.cause->sentence);
}

void stop_attempt(Decision& decision, Then then, Duration grace, const std::string& why, int signal) {
  State& state = decision.state;
  if (state.phase == Phase::running) decision.act(EndAttempt{state.attempt, why});
  state.phase = Phase::stopping;
  forget_hangs(state);
  state.then = then;
  state.grace = grace;
  state.signal = signal;
  state.held.reset();
  for (const Timer timer : {Timer::start, Timer::last_call, Timer::unreachable, Timer::setup}) decision.cancel(timer);
  send_all(decision, false);
  decision.arm(Timer::stop, grace + std::max(kStopPatience, state.rules.timeouts.leftovers + kLeftoverPatience));
  settle_if_quiet(decision);
}

void settle_if_quiet(Decision& decision) {
  State& state = decision.state;
  if (state.phase != Phase::stopping || !all_settled(state)) return;
  decision.cancel(Timer::stop);
  if (state.then == Then::retry) release_leaving(decision);
  switch (state.then) {
    case Then::retry: return retry(decision);
    case Then::succeeded: return finish(decision, Outcome::succeeded);
    case Then::failed: return finish(decision, Outcome::failed);
    case Then::cancelled: return finish(decision, Outcome::cancelled);
  }
}

void finish(Decision& decision, Outcome outcome) {
  State& state = decision.state;
  state.phase = Phase::done;
  state.outcome = outcome;
  state.ended = decision.now;
  if (std::string text = ending(state, outcome, decision.now); !text.empty()) decision.say(std::move(text));
  while (!state.timers.empty()) decision.cancel(state.timers.begin()->first);
  for (NodeIndex n = 0; n < state.nodes.size(); ++n) {
    if (state.nodes[n].phase != NodeState::Phase::absent) decision.act(Release{n});
    state.nodes.edit(n).phase = NodeState::Phase::absent;
  }
  decision.act(Finish{outcome});
}

}  // namespace muster::job
