// SPDX-License-Identifier: Apache-2.0
#include "core/machine/job/job.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/machine/job/decision.h"

namespace muster::job {
namespace {

void on(Decision& decision, const Admitted&) {
  if (decision.state.phase != Phase::queued) return;
  decision.cancel(Timer::queue);
  begin_attempt(decision);
}

void on(Decision& decision, const NodeUp& up) {
  const NodeState& node = decision.state.nodes[up.node];
  if (node.phase != NodeState::Phase::placing) return;
  const uint32_t share = is_elastic(decision.state) && up.ranks > 0 ? up.ranks : node.share;
  decision.state.nodes.edit(up.node) =
      NodeState{.phase = NodeState::Phase::up, .incarnation = up.incarnation, .token = up.token, .share = share};
  if (!up.host.empty()) decision.state.rules.nodes.set(up.node, up.host);
  host_joined(decision, up.node);
  run_if_placed(decision);
}

// True if all ranks of the node belong to groups whose success is ignored: its loss is no failure.
bool ignored(const State& state, NodeIndex index) {
  return std::all_of(state.rules.ranks.begin(), state.rules.ranks.end(), [&](const Rules::RankRule& rank) {
    return rank.node != index || state.rules.groups[rank.group] == SuccessRule::ignore;
  });
}

bool ranks_have_ended(const State& state, NodeIndex index) {
  for (size_t i = 0; i < state.ranks.size(); ++i) {
    if (state.rules.ranks[i].node == index && state.ranks[i].phase != RankPhase::exited) return false;
  }
  return true;
}

void end_ranks_of(State& state, NodeIndex index, const std::string& sentence) {
  ExitStatus gone;
  gone.kind = ExitStatus::Kind::not_started;
  gone.detail = sentence;
  for (size_t i = 0; i < state.ranks.size(); ++i) {
    const bool here = state.rules.ranks[i].node == index && state.ranks[i].phase != RankPhase::exited;
    if (here) state.ranks.edit(i) = RankState{RankPhase::exited, gone};
  }
}

// restarts.mode none: the failure of one rank does not affect the others.
bool ranks_are_independent(const State& state) { return state.rules.restarts.mode == RestartMode::none; }

void judge(Decision& decision, const Ends& ended);

// A node is gone. If an attempt is under way, that is a failure; otherwise the node is only placed again.
void node_gone(Decision& decision, NodeIndex index, const std::string& sentence, bool taken = false) {
  State& state = decision.state;
  const NodeState was = state.nodes[index];
  if (was.phase == NodeState::Phase::absent) return;
  state.nodes.edit(index) = NodeState{.share = was.share};
  blame_lost_node(decision, index, was, sentence);
  if (was.phase == NodeState::Phase::up && absorb_loss(decision, was, sentence)) return;
  if (state.phase == Phase::running && (ignored(state, index) || ranks_are_independent(state))) {
    if (ranks_are_independent(state) && !ignored(state, index) && !state.cause) state.cause = lost(index, sentence);
    end_ranks_of(state, index, sentence);
    decision.say(sentence + "; the job continues without it");
    judge(decision, Ends());
  } else if (state.phase == Phase::placing || state.phase == Phase::running) {
    Cause cause = lost(index, sentence);
    cause.taken = taken || was.taken;
    fail_attempt(decision, std::move(cause));
  } else {
    settle_if_quiet(decision);
  }
}

void on(Decision& decision, const LinkDown& down) {
  mark_unreachable(decision, down.node);
  settle_if_quiet(decision);
}

void on(Decision& decision, const PlaceFailed& failed) {
  if (decision.state.nodes[failed.node].phase != NodeState::Phase::placing) return;
  node_gone(decision, failed.node,
            "cannot start the agent on " + decision.state.rules.nodes[failed.node] + ": " + failed.reason);
}

void on(Decision& decision, const NodeLost& lost) {
  node_gone(decision, lost.node, decision.state.rules.nodes[lost.node] + " was lost: " + lost.reason, lost.taken);
}

// Ranks only move forward: a report that arrives late does not undo anything.
Ends take_facts(State& state, const Reported& report) {
  Ends ended;
  for (const RankFact& fact : report.ranks) {
    if (fact.index >= state.ranks.size() || state.rules.ranks[fact.index].node != report.node) continue;
    ended[fact.index] = fact.ended;
    if (fact.phase <= state.ranks[fact.index].phase) continue;
    state.ranks.edit(fact.index) = RankState{fact.phase, fact.exit};
  }
  return ended;
}

// The first start of several gangs is reported by the job, not by each gang.
void say_running(Decision& decision) {
  const State& state = decision.state;
  const bool gang = !state.rules.gang.empty();
  const std::string ranks = count_of(state.ranks.size(), "rank");
  if (state.attempt > 1)
    decision.say((gang ? whole_of(state) + " is running again after " : "running again after ") +
                 humane_duration(decision.now - state.failed_at) + " (" + ranks + ", " +
                 attempt_of(state, state.attempt) + ")");
  if (state.attempt == 1 && !gang) decision.say("running: " + ranks);
}

void note_running(Decision& decision) {
  State& state = decision.state;
  if (state.all_running || state.ranks.total().run < state.ranks.size()) return;
  state.all_running = true;
  decision.cancel(Timer::start);
  say_running(decision);
}

// Keeps the first failure until all ranks have ended. False: they have ended.
bool others_go_on(Decision& decision, const Cause& cause) {
  State& state = decision.state;
  const bool first = !state.cause;
  if (first) state.cause = cause;
  const bool any = state.ranks.total().exited < state.ranks.size();
  if (any && first) decision.say(cause.sentence + "; the other ranks continue (restarts.mode: none)");
  if (any) note_running(decision);
  return any;
}

void judge(Decision& decision, const Ends& ended) {
  State& state = decision.state;
  if (std::optional<Cause> cause = first_failure(state, ended)) {
    if (ranks_are_independent(state) && others_go_on(decision, *cause)) return;
    if (ranks_are_independent(state)) return fail_attempt(decision, Cause(*state.cause));
    return hold_failure(decision, *cause) ? void() : fail_attempt(decision, std::move(*cause));
  }
  note_running(decision);
  if (groups_succeeded(state)) {
    const bool ended = !state.rules.gang.empty() && state.rules.groups.front() == SuccessRule::ignore;
    const std::string why = whole_of(state) + (ended ? " has ended" : " has succeeded");
    decision.say("stopping: " + why);
    stop_attempt(decision, Then::succeeded, state.rules.timeouts.stop, why);
  }
}

// A service has failed after the ranks of its node had ended, but ranks of other nodes may wait for it. If ranks of its node run, the
// agent ends them, and they are the failure.
void note_service_failure(Decision& decision, const Reported& report) {
  State& state = decision.state;
  if (report.service_failure.empty() || state.phase != Phase::running) return;
  if (!ranks_have_ended(state, report.node) || (ignored(state, report.node) && !state.rules.shared_world)) return;
  Cause cause{report.service_failure, std::nullopt, {}};
  cause.exit.service_failed = true;
  if (!hold_failure(decision, cause)) fail_attempt(decision, std::move(cause));
}

// A node with ranks that have not ended is not quiet: a report may be written after the desired state arrived and before the
// process exists.
bool says_quiet(const Reported& report) {
  return report.quiet && std::all_of(report.ranks.begin(), report.ranks.end(),
                                     [](const RankFact& fact) { return fact.phase == RankPhase::exited; });
}

void on(Decision& decision, const Reported& report) {
  State& state = decision.state;
  NodeState node = state.nodes[report.node];
  // An attempt that still waits for setup has no ranks.
  const bool too_early = state.rules.prepares && state.phase == Phase::placing && report.attempt == state.attempt;
  const bool stranger = node.phase != NodeState::Phase::up || node.incarnation != report.incarnation || too_early;
  if (stranger || report.attempt > state.attempt || report.attempt < node.reported) return;
  node.reported = report.attempt;
  if ((report.prepared && !node.prepared) || report.devices.empty() == node.deprived) {
    note_setup(decision, report);
    node = state.nodes[report.node];
    node.reported = report.attempt;
  }
  Ends ended;
  const Ranks before = state.ranks;
  const bool attempt_alive = state.phase == Phase::running || state.phase == Phase::stopping;
  if (report.attempt == state.attempt && attempt_alive) ended = take_facts(state, report);
  // Only a report of this attempt can say that the node is quiet: an older one was written before the node was told to run.
  if (report.attempt == state.attempt) node.quiet = says_quiet(report);
  node.taken = report.taken;
  state.nodes.set(report.node, std::move(node));
  const bool trusted = mark_reachable(decision, report.node);
  if (trusted && report.attempt < state.attempt) run_if_placed(decision);
  if (state.phase == Phase::running && report.attempt == state.attempt) {
    judge(decision, ended);
    note_service_failure(decision, report);
  } else if (attempt_alive && report.attempt == state.attempt) {
    blame_peer(decision, report, before);
  }
  settle_if_quiet(decision);
  if (!report.unprepared.empty()) setup_failed(decision, report.unprepared);
}

void stopping_is_slow(Decision& decision) {
  std::vector<std::string> alive;
  const State& state = decision.state;
  for (size_t n = 0; n < state.nodes.size(); ++n) {
    if (!state.nodes[n].quiet) alive.push_back(state.rules.nodes[n]);
  }
  decision.say(
      "still stopping: processes on " + short_list(alive, 4) +
      " have not ended after SIGKILL: they are stuck in the kernel (state D in ps), or the node is unreachable");
}

void fail_for_good(Decision& decision, const std::string& sentence) {
  State& state = decision.state;
  // A job that is already stopping keeps the shorter grace.
  const Duration full = state.rules.timeouts.stop;
  const Duration grace = state.phase == Phase::stopping ? std::min(state.grace, full) : full;
  state.cause = Cause{sentence, std::nullopt, {}, true};
  state.failed_at = decision.now;
  decision.say("stopping: " + sentence);
  stop_attempt(decision, Then::failed, grace, sentence);
}

// Gives up agents that did not report in time, so that the next attempt places these nodes again.
void give_up_placing(Decision& decision) {
  for (NodeIndex n = 0; n < decision.state.nodes.size(); ++n) {
    if (decision.state.nodes[n].phase != NodeState::Phase::placing) continue;
    decision.state.nodes.edit(n) = NodeState{};
    decision.act(Release{n});
  }
}

void start_timed_out(Decision& decision) {
  const State& state = decision.state;
  if (state.phase == Phase::placing && is_elastic(state)) return fail_for_good(decision, too_few_hosts(state));
  const std::string what = state.phase == Phase::placing ? "not every node" + of_gang(state) + " was up"
                                                         : "not every rank" + of_gang(state) + " was running";
  give_up_placing(decision);
  fail_attempt(decision, Cause{what + " after " + humane_duration(state.rules.timeouts.start) + " (timeouts.start)",
                               std::nullopt,
                               {},
                               true});
}

void run_timed_out(Decision& decision) {
  const State& state = decision.state;
  if (state.phase == Phase::stopping && state.then != Then::retry) return;
  fail_for_good(decision, ran_too_long(state));
}

void on(Decision& decision, const TimerFired& fired) {
  const auto armed = decision.state.timers.find(fired.timer);
  if (armed == decision.state.timers.end()) return;
  if (armed->second > decision.now) return decision.act(ArmTimer{fired.timer, armed->second});
  decision.state.timers.erase(armed);
  switch (fired.timer) {
    case Timer::queue: return queue_timed_out(decision);
    case Timer::start: return start_timed_out(decision);
    case Timer::run: return run_timed_out(decision);
    case Timer::backoff: return begin_attempt(decision);
    case Timer::stop: return stopping_is_slow(decision);
    case Timer::last_call: return last_call_ended(decision);
    case Timer::unreachable: return unreachable_timeout(decision);
    case Timer::setup: return setup_timed_out(decision);
  }
}

// The sentence says how long ranks get. The last sentence of the job says who stopped it.
std::string stopping(Duration grace) {
  if (grace <= Duration(0)) return "stopping: killing the ranks";
  return "stopping: the ranks get " + humane_duration(grace) + " to save";
}

// A stop while stopping: no further attempt follows, and a shorter grace replaces the current one.
void stop_harder(Decision& decision, const StopAsked& asked) {
  State& state = decision.state;
  const bool was_retry = state.then == Then::retry;
  if (!was_retry && asked.grace >= state.grace) return;
  // A job that succeeded or failed before the user's stop keeps its cause.
  if (was_retry || state.then == Then::cancelled) state.cause = Cause{asked.why, std::nullopt, {}};
  decision.say(stopping(asked.grace));
  stop_attempt(decision, was_retry ? Then::cancelled : state.then, std::min(asked.grace, state.grace), asked.why,
               asked.signal);
}

void on(Decision& decision, const StopAsked& asked) {
  State& state = decision.state;
  if (state.phase == Phase::done) return;
  if (can_leave(state, asked)) return leave(decision, asked);
  if (state.phase == Phase::stopping) return stop_harder(decision, asked);
  state.cause = Cause{asked.why, std::nullopt, {}};
  if (state.phase == Phase::queued || state.phase == Phase::backoff) return finish(decision, Outcome::cancelled);
  decision.say(stopping(asked.grace));
  stop_attempt(decision, Then::cancelled, asked.grace, asked.why, asked.signal);
}

void on(Decision& decision, const Judged& event) { handle_judged(decision, event); }

std::string ranks_on_nodes(const Rules& rules) {
  return count_of(rules.ranks.size(), "rank") + " on " + count_of(rules.nodes.size(), "node");
}

std::optional<NodeIndex> node_of(const Event& event) {
  if (const auto* up = std::get_if<NodeUp>(&event)) return up->node;
  if (const auto* failed = std::get_if<PlaceFailed>(&event)) return failed->node;
  if (const auto* lost = std::get_if<NodeLost>(&event)) return lost->node;
  if (const auto* down = std::get_if<LinkDown>(&event)) return down->node;
  if (const auto* report = std::get_if<Reported>(&event)) return report->node;
  if (const auto* stop = std::get_if<StopAsked>(&event)) return stop->node;
  return std::nullopt;
}

}  // namespace

void queue_timed_out(Decision& decision) {
  State& state = decision.state;
  state.cause = Cause{
      "the job waited " + humane_duration(state.rules.timeouts.queue) + " in the queue, the limit of timeouts.queue",
      std::nullopt,
      {},
      true};
  finish(decision, Outcome::failed);
}

std::string ran_too_long(const State& state) {
  return "the job ran for " + humane_duration(state.rules.timeouts.run) + ", the limit of timeouts.run";
}

std::string whole_of(const State& state) { return state.rules.gang.empty() ? "the job" : "group " + state.rules.gang; }

std::string of_gang(const State& state) { return state.rules.gang.empty() ? "" : " of " + whole_of(state); }

Step submitted(const Rules& rules, TimePoint now) {
  Decision decision;
  decision.now = now;
  State& state = decision.state;
  state.rules = rules;
  state.random = Random(rules.seed);
  state.submitted = now;
  state.nodes.resize(rules.nodes.size());
  state.expected = static_cast<uint32_t>(rules.nodes.size());
  for (const Rules::RankRule& rank : rules.ranks) ++state.nodes.edit(rank.node).share;
  state.ranks.resize(rules.ranks.size());
  begin_gangs(state);
  decision.arm(Timer::queue, rules.timeouts.queue);
  decision.say("queued: " + ranks_on_nodes(rules));
  return {std::move(decision.state), std::move(decision.actions), std::move(decision.sentence)};
}

Step step(State state, TimePoint now, const Event& event) {
  const std::optional<NodeIndex> node = node_of(event);
  // All events pass here: refuse those about a node outside the plan, and all after the end.
  if ((node && *node >= state.nodes.size()) || state.phase == Phase::done) return {std::move(state), {}, ""};
  const bool waited = state.phase == Phase::queued;
  Decision decision{std::move(state), now, {}, ""};
  decision.state.gangs.empty() ? decide(decision, event) : decide_for_gangs(decision, event);
  // No event is reported for this, but the job's state needs a sentence.
  const bool starts = waited && decision.state.phase != Phase::queued && decision.sentence.empty();
  if (starts) decision.state.sentence = "starting: " + ranks_on_nodes(decision.state.rules);
  return {std::move(decision.state), std::move(decision.actions), std::move(decision.sentence)};
}

void decide(Decision& decision, const Event& event) {
  std::visit([&](const auto& each) { on(decision, each); }, event);
}

std::vector<Action> standing_actions(const State& state) {
  std::vector<Action> actions;
  for (uint32_t g = 0; g < state.gangs.size(); ++g) {
    for (const Action& action : standing_actions(state.gangs[g])) add_of_gang(actions, state, g, action);
  }
  const bool run = state.phase == Phase::running;
  for (NodeIndex n = 0; n < state.nodes.size() && state.gangs.empty(); ++n) {
    const NodeState& node = state.nodes[n];
    if (node.phase == NodeState::Phase::placing) actions.push_back(Place{n});
    const bool desired = takes_part(state, n) && (run || state.phase == Phase::stopping);
    if (node.phase == NodeState::Phase::up && desired)
      actions.push_back(DesiredState{n, state.attempt, run, state.grace, state.signal});
  }
  for (const auto& [timer, at] : state.timers) actions.push_back(ArmTimer{timer, at});
  if (state.phase == Phase::done) actions.push_back(Finish{state.outcome});
  return actions;
}

}  // namespace muster::job
