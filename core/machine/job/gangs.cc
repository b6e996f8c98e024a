// SPDX-License-Identifier: Apache-2.0
#include "core/machine/job/gangs.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/machine/job/decision.h"

namespace muster::job {
namespace {

bool restarts_by_group(const Rules& rules) {
  if (rules.restarts.mode != RestartMode::group || rules.groups.size() < 2 || rules.membership) return false;
  // Check that the plan is regular: nodes in the order of groups, each with ranks of one group only.
  NodeIndex node = 0;
  uint32_t group = 0;
  for (const Rules::RankRule& rank : rules.ranks) {
    const bool next_node = rank.node == node + 1;
    const bool next_group = rank.group == group + 1;
    const bool in_order = (rank.node == node || next_node) && (rank.group == group || (next_group && next_node));
    if (!in_order) return false;
    node = rank.node;
    group = rank.group;
  }
  return !rules.ranks.empty() && rules.ranks.front().node == 0 && node + 1 == rules.nodes.size() &&
         group + 1 == rules.groups.size();
}

// timeouts.queue and timeouts.run apply to the job, not to a gang.
Rules rules_of_gang(const Rules& job, uint32_t group) {
  Rules rules;
  rules.gang = job.group_names[group];
  rules.groups = {job.groups[group]};
  rules.group_names = {rules.gang};
  rules.restarts = job.restarts;
  rules.timeouts = job.timeouts;
  rules.timeouts.queue = rules.timeouts.run = Duration(0);
  rules.hangs = job.hangs;
  rules.prepares = job.prepares;
  rules.seed = job.seed + group;
  for (uint32_t i = 0; i < job.ranks.size(); ++i) {
    const Rules::RankRule& rank = job.ranks[i];
    if (rank.group != group) continue;
    if (rules.ranks.empty()) {
      rules.first_rank = i;
      rules.first_node = rank.node;
    }
    if (rank.node - rules.first_node == rules.nodes.size()) rules.nodes.push_back(job.nodes[rank.node]);
    rules.ranks.push_back({rank.name, rank.node - rules.first_node, 0});
  }
  return rules;
}

struct Renumbered {
  const Rules& rules;
  uint32_t gang;

  std::optional<Action> operator()(Place place) const { return moved(place); }
  std::optional<Action> operator()(Release release) const { return moved(release); }
  std::optional<Action> operator()(DesiredState desired) const { return moved(desired); }
  std::optional<Action> operator()(BeginAttempt begin) const {
    begin.gang = gang;
    return begin;
  }
  std::optional<Action> operator()(EndAttempt end) const {
    end.gang = gang;
    return end;
  }
  std::optional<Action> operator()(const ArmTimer&) const { return std::nullopt; }
  std::optional<Action> operator()(const CancelTimer&) const { return std::nullopt; }
  std::optional<Action> operator()(const Finish&) const { return std::nullopt; }

  template <typename OfNode>
  std::optional<Action> moved(OfNode action) const {
    action.node += rules.first_node;
    return action;
  }
};

// The cause of a gang, with the job's node and rank numbers.
Cause cause_of(const State& gang) {
  Cause cause = *gang.cause;
  if (cause.rank) *cause.rank += gang.rules.first_rank;
  if (cause.node) *cause.node += gang.rules.first_node;
  return cause;
}

// Applies `change` to one gang.
template <typename Change>
void with_gang(Decision& job, uint32_t index, const Change& change) {
  if (job.state.gangs[index].phase == Phase::done) return;
  Decision gang{std::move(job.state.gangs[index]), job.now, {}, ""};
  change(gang);
  for (const Action& action : gang.actions) add_of_gang(job.actions, job.state, index, action);
  if (!gang.sentence.empty() && job.sentence.empty()) job.say(gang.sentence);
  job.state.gangs[index] = std::move(gang.state);
}

void note_failure(State& job, const State& gang, TimePoint failed_before, const std::optional<Cause>& cause_before) {
  if (gang.cause && (gang.cause != cause_before || gang.failed_at != failed_before)) job.cause = cause_of(gang);
  if (gang.failed_at == failed_before) return;
  job.failed_at = gang.failed_at;
  job.crashes_alike = gang.crashes_alike;
}

// Applies an event, with the gang's own numbers, to one gang.
void happen(Decision& job, uint32_t index, const Event& event) {
  const TimePoint failed_at = job.state.gangs[index].failed_at;
  const std::optional<Cause> cause = job.state.gangs[index].cause;
  with_gang(job, index, [&](Decision& gang) { decide(gang, event); });
  const State& gang = job.state.gangs[index];
  note_failure(job.state, gang, failed_at, cause);
  job.state.restarts = gang.restarts;
  job.state.restarted_at = gang.restarted_at;
}

// Ends one gang together with the others. A gang that is already ending keeps its outcome and the shorter grace.
void end_with_others(Decision& gang, Then then, Duration grace, const std::string& why) {
  State& state = gang.state;
  const bool leaves = state.phase == Phase::stopping && state.then != Then::retry;
  if (leaves && grace >= state.grace) return;
  if (!leaves) state.cause = Cause{why, std::nullopt, {}};
  if (state.phase == Phase::backoff) return finish(gang, then == Then::failed ? Outcome::failed : Outcome::succeeded);
  if (state.phase == Phase::stopping) grace = std::min(grace, state.grace);
  stop_attempt(gang, leaves ? state.then : then, grace, why);
}

void end_all(Decision& job, Then then, Duration grace, const std::string& why) {
  job.state.phase = Phase::stopping;
  job.state.then = then;
  for (uint32_t g = 0; g < job.state.gangs.size(); ++g)
    with_gang(job, g, [&](Decision& gang) { end_with_others(gang, then, grace, why); });
}

bool comes_to(const State& gang, Outcome outcome, Then then) {
  return gang.phase == Phase::done ? gang.outcome == outcome : gang.phase == Phase::stopping && gang.then == then;
}

bool fails(const State& gang) { return comes_to(gang, Outcome::failed, Then::failed); }
bool succeeds(const State& gang) { return comes_to(gang, Outcome::succeeded, Then::succeeded); }

// True if every gang that counts succeeds. Gangs whose success is ignored count only if there are no others.
bool all_succeed(const State& job) {
  const auto ignored = [](const State& gang) { return !is_awaited(gang.rules.groups.front()); };
  const bool only_ignored = std::all_of(job.gangs.begin(), job.gangs.end(), ignored);
  return std::all_of(job.gangs.begin(), job.gangs.end(),
                     [&](const State& gang) { return succeeds(gang) || (!only_ignored && ignored(gang)); });
}

bool job_leaves(const State& job) { return job.phase == Phase::stopping && job.then != Then::retry; }

// The outcome of one gang may end the job.
void end_if_decided(Decision& job) {
  State& state = job.state;
  if (job_leaves(state)) return;
  if (std::any_of(state.gangs.begin(), state.gangs.end(), fails)) {
    const std::string why = state.cause ? state.cause->sentence : "";
    return end_all(job, Then::failed, state.rules.restarts.grace, why);
  }
  if (!all_succeed(state)) return;
  job.say("stopping: the job has succeeded");
  end_all(job, Then::succeeded, state.rules.timeouts.stop, "the job has succeeded");
}

Phase phase_of(const State& job) {
  for (const Phase phase : {Phase::running, Phase::placing, Phase::stopping, Phase::backoff}) {
    if (std::any_of(job.gangs.begin(), job.gangs.end(), [&](const State& gang) { return gang.phase == phase; }))
      return phase;
  }
  return Phase::stopping;  // all are done
}

bool restarts(const State& gang) {
  return gang.phase == Phase::backoff || (gang.phase == Phase::stopping && gang.then == Then::retry);
}

void sum_up_hangs(State& job) {
  job.hangs.clear();
  job.gang_hang = Hang();
  for (const State& gang : job.gangs) {
    for (const auto& [rank, hang] : gang.hangs) job.hangs[rank + gang.rules.first_rank] = hang;
    if (job.gang_hang.kind == HangKind::none) job.gang_hang = gang.gang_hang;
  }
}

// The nodes and ranks of a gang before the event.
struct Members {
  SharedVector<NodeState, NodeCounts> nodes;
  Ranks ranks;
};

std::vector<Members> members_of(const State& job) {
  std::vector<Members> members;
  for (const State& gang : job.gangs) members.push_back({gang.nodes, gang.ranks});
  return members;
}

// Copies the changed nodes and ranks of the gangs to the job.
void sum_up_members(State& job, const std::vector<Members>& before) {
  for (size_t g = 0; g < job.gangs.size(); ++g) {
    const State& gang = job.gangs[g];
    gang.nodes.for_each_unshared(before[g].nodes,
                                 [&](size_t n) { job.nodes.set(gang.rules.first_node + n, gang.nodes[n]); });
    gang.ranks.for_each_unshared(before[g].ranks,
                                 [&](size_t i) { job.ranks.set(gang.rules.first_rank + i, gang.ranks[i]); });
  }
}

// Combines the gangs into the job's state, and copies the shared values back to each gang.
void sum_up(State& job, const std::vector<Members>& before) {
  sum_up_members(job, before);
  if (!job_leaves(job)) job.phase = phase_of(job);
  job.all_running = true;
  job.grace = Duration(0);
  job.consecutive_failures = 0;
  for (const State& gang : job.gangs) {
    job.attempt = std::max(job.attempt, gang.attempt);
    job.attempt_started = std::max(job.attempt_started, gang.attempt_started);
    job.consecutive_failures = std::max(job.consecutive_failures, gang.consecutive_failures);
    job.grace = std::max(job.grace, gang.grace);
    job.all_running &= gang.all_running || gang.phase == Phase::done;
  }
  sum_up_hangs(job);
  const auto to_come = static_cast<uint32_t>(std::count_if(job.gangs.begin(), job.gangs.end(), restarts));
  for (State& gang : job.gangs) {
    gang.newest = job.attempt;
    gang.to_come = to_come - (restarts(gang) ? 1 : 0);
    gang.restarts = job.restarts;
    gang.restarted_at = job.restarted_at;
  }
}

// The job's timer of each kind is the earliest of the gangs' timers.
void sum_up_timers(Decision& job) {
  std::map<Timer, TimePoint> first;
  for (const State& gang : job.state.gangs) {
    for (const auto& [timer, at] : gang.timers) {
      const auto earliest = first.try_emplace(timer, at).first;
      earliest->second = std::min(earliest->second, at);
    }
  }
  for (const Timer timer :
       {Timer::start, Timer::backoff, Timer::stop, Timer::last_call, Timer::unreachable, Timer::setup}) {
    const auto found = first.find(timer);
    if (found == first.end()) {
      job.cancel(timer);
      continue;
    }
    TimePoint& armed = job.state.timers[timer];
    if (std::exchange(armed, found->second) != found->second) job.act(ArmTimer{timer, found->second});
  }
}

// Failed if one gang failed. After a stop by the user the job has succeeded only if all gangs had.
Outcome outcome_of(const State& job) {
  if (std::any_of(job.gangs.begin(), job.gangs.end(), fails)) return Outcome::failed;
  return all_succeed(job) ? Outcome::succeeded : Outcome::cancelled;
}

struct Gangs {
  Decision& job;

  State& state() const { return job.state; }

  void operator()(const Admitted& event) const {
    if (state().phase != Phase::queued) return;
    job.cancel(Timer::queue);
    state().started = job.now;
    job.arm(Timer::run, state().rules.timeouts.run);
    for_all(event);
  }
  void operator()(NodeUp event) const { of_node(event); }
  void operator()(PlaceFailed event) const { of_node(event); }
  void operator()(NodeLost event) const { of_node(event); }
  void operator()(LinkDown event) const { of_node(event); }
  void operator()(Reported event) const {
    const uint32_t first_rank = gang_at(state(), gang_of(state(), event.node)).rules.first_rank;
    for (RankFact& fact : event.ranks) fact.index -= first_rank;  // underflow: a rank of another gang, ignored later
    of_node(event);
  }

  void operator()(const TimerFired& event) const {
    const auto armed = state().timers.find(event.timer);
    if (armed == state().timers.end()) return;
    const TimePoint at = armed->second;
    if (at > job.now) return job.act(ArmTimer{event.timer, at});
    state().timers.erase(armed);
    if (event.timer == Timer::queue) return queue_timed_out(job);
    if (event.timer == Timer::run) return run_timed_out();
    // One gang at a time, so that a step begins one attempt. The timer is armed again for the next gang.
    for (uint32_t g = 0; g < state().gangs.size(); ++g) {
      const auto own = state().gangs[g].timers.find(event.timer);
      if (own != state().gangs[g].timers.end() && own->second == at) return happen(job, g, event);
    }
  }

  void run_timed_out() const {
    if (job_leaves(state())) return;
    const std::string why = ran_too_long(state());
    state().cause = Cause{why, std::nullopt, {}, true};
    state().failed_at = job.now;
    job.say("stopping: " + why);
    for (State& gang : state().gangs) gang.failed_at = gang.phase == Phase::done ? gang.failed_at : job.now;
    end_all(job, Then::failed, state().rules.timeouts.stop, why);
  }

  void operator()(StopAsked event) const {
    event.node.reset();
    if (state().phase == Phase::queued) {
      state().cause = Cause{event.why, std::nullopt, {}};
      return finish(job, Outcome::cancelled);
    }
    const bool was_leaving = job_leaves(state());
    for_all(event);
    if (was_leaving) return;
    state().phase = Phase::stopping;
    state().then = Then::cancelled;
  }

  void operator()(Judged event) const {
    const uint32_t ranks = static_cast<uint32_t>(state().ranks.size());
    if (event.rank ? *event.rank >= ranks : event.gang >= state().gangs.size()) return;
    if (event.rank) event.gang = gang_of(state(), state().rules.ranks[*event.rank].node);
    if (event.rank) *event.rank -= state().gangs[event.gang].rules.first_rank;
    happen(job, event.gang, event);
  }

  void for_all(const Event& event) const {
    for (uint32_t g = 0; g < state().gangs.size(); ++g) happen(job, g, event);
  }

  template <typename OfNode>
  void of_node(OfNode event) const {
    const uint32_t gang = gang_of(state(), event.node);
    event.node -= state().gangs[gang].rules.first_node;
    happen(job, gang, event);
  }
};

}  // namespace

void add_of_gang(std::vector<Action>& actions, const State& job, uint32_t gang, const Action& action) {
  const Renumbered renumbered{job.gangs[gang].rules, gang};
  if (auto own = std::visit(renumbered, action)) actions.push_back(std::move(*own));
}

void begin_gangs(State& state) {
  if (!restarts_by_group(state.rules)) return;
  for (uint32_t g = 0; g < state.rules.groups.size(); ++g)
    state.gangs.push_back(submitted(rules_of_gang(state.rules, g), state.submitted).next);
}

void decide_for_gangs(Decision& decision, const Event& event) {
  State& job = decision.state;
  const bool ran = job.all_running;
  const std::vector<Members> before = members_of(job);
  std::visit(Gangs{decision}, event);
  if (job.phase == Phase::done || (job.phase == Phase::queued && job.gangs.front().phase == Phase::queued)) return;
  end_if_decided(decision);
  sum_up(job, before);
  if (!ran && job.all_running && job.attempt == 1 && decision.sentence.empty())
    decision.say("running: " + count_of(job.ranks.size(), "rank"));
  sum_up_timers(decision);
  if (gangs_done(job) == gang_count(job)) finish(decision, outcome_of(job));
}

uint32_t gang_count(const State& job) { return std::max<uint32_t>(1, static_cast<uint32_t>(job.gangs.size())); }

uint32_t gang_of(const State& job, NodeIndex node) {
  const auto next =
      std::find_if(job.gangs.begin(), job.gangs.end(), [&](const State& gang) { return gang.rules.first_node > node; });
  return next == job.gangs.begin() ? 0 : static_cast<uint32_t>(next - job.gangs.begin() - 1);
}

const State& gang_at(const State& job, uint32_t index) { return job.gangs.empty() ? job : job.gangs[index]; }

Attempt attempt_on(const State& job, NodeIndex node) { return gang_at(job, gang_of(job, node)).attempt; }

uint32_t gangs_done(const State& job) {
  if (job.gangs.empty()) return job.phase == Phase::done ? 1 : 0;
  return static_cast<uint32_t>(
      std::count_if(job.gangs.begin(), job.gangs.end(), [](const State& gang) { return gang.phase == Phase::done; }));
}

}  // namespace muster::job
