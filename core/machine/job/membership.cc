// SPDX-License-Identifier: Apache-2.0
// Elastic jobs: nodes are hosts that join and leave by themselves. For which hosts an attempt waits, and which it takes.

#include <algorithm>

#include "core/base/text.h"
#include "core/machine/job/decision.h"

namespace muster::job {
namespace {

constexpr NodeIndex kFirst = 0;  // the host that all others connect to; the job cannot run without it

bool is_up(const NodeState& node) { return node.phase == NodeState::Phase::up; }
bool is_newcomer(const NodeState& node) { return is_up(node) && !node.member; }

uint32_t hosts_up(const State& state) {
  return static_cast<uint32_t>(std::count_if(state.nodes.begin(), state.nodes.end(), is_up));
}

// "2 hosts, 3 ranks"
std::string size_of(const State& state) {
  uint64_t ranks = 0;
  for (const NodeState& node : state.nodes) ranks += is_up(node) ? node.share : 0;
  return count_of(hosts_up(state), "host") + ", " + count_of(ranks, "rank");
}

std::string hosts_joined(const State& state) {
  return "waiting for hosts: " + std::to_string(hosts_up(state)) + " of " +
         std::to_string(state.rules.membership->least) + " have joined";
}

std::string newcomers(const State& state) {
  std::vector<std::string> names;
  for (size_t n = 0; n < state.nodes.size(); ++n) {
    if (is_newcomer(state.nodes[n])) names.push_back(state.rules.nodes[n]);
  }
  return short_list(names, 4);
}

void place(Decision& decision, NodeIndex node) {
  decision.state.nodes.edit(node).phase = NodeState::Phase::placing;
  decision.act(Place{node});
}

// Replaces the running attempt by one with all hosts that are up.
void regroup(Decision& decision) {
  State& state = decision.state;
  const std::string names = newcomers(state);
  if (names.empty()) return;
  state.cause = Cause{names + " joined", std::nullopt, {}};
  state.failed_at = decision.now;
  state.retry_after = Duration(0);
  ++state.regroupings;
  decision.say(names + " joined · restarting with " + size_of(state) + ", " + attempt_of(state, state.attempt + 1));
  stop_attempt(decision, Then::retry, state.rules.restarts.grace, state.cause->sentence);
}

void wait_for_more(Decision& decision, const std::string& sentence) {
  if (decision.state.timers.count(Timer::last_call) > 0) return;
  decision.arm(Timer::last_call, decision.state.rules.membership->last_call);
  if (!sentence.empty()) decision.add(sentence);
}

}  // namespace

bool is_elastic(const State& state) { return state.rules.membership.has_value(); }

bool takes_part(const State& state, NodeIndex node) { return !is_elastic(state) || state.nodes[node].member; }

void open_places(Decision& decision) {
  State& state = decision.state;
  if (state.phase != Phase::placing && state.phase != Phase::running) return;
  bool open = false;
  for (NodeIndex n = 0; n < state.nodes.size(); ++n) {
    if (state.nodes[n].phase == NodeState::Phase::absent) place(decision, n);
    open |= state.nodes[n].phase == NodeState::Phase::placing;
  }
  if (!is_elastic(state) || open || state.nodes.size() >= state.rules.membership->most) return;
  state.nodes.push_back(NodeState());
  state.rules.nodes.push_back("another host");
  place(decision, static_cast<NodeIndex>(state.nodes.size() - 1));
}

bool enough_hosts(Decision& decision) {
  State& state = decision.state;
  const ElasticMembership& rule = *state.rules.membership;
  const uint32_t here = hosts_up(state);
  if (!is_up(state.nodes[kFirst]) || here < rule.least) {
    decision.cancel(Timer::last_call);
    if (state.attempt > 1 && here < rule.least) decision.add(hosts_joined(state));
    return false;
  }
  if (here >= std::min(state.expected, rule.most) || rule.last_call <= Duration(0)) return true;
  // In a first attempt the hosts have joined already; only their agents are missing.
  const std::string waiting = "waiting " + humane_duration(rule.last_call) + " for another host";
  wait_for_more(decision, state.attempt > 1 ? waiting + ", then continuing with " + size_of(state) : "");
  return false;
}

void assign_ranks(Decision& decision) {
  State& state = decision.state;
  if (hosts_up(state) < state.expected) decision.add("continuing with " + size_of(state));
  state.expected = hosts_up(state);
  state.rules.ranks.clear();
  for (NodeIndex n = 0; n < state.nodes.size(); ++n) {
    state.nodes.edit(n).member = is_up(state.nodes[n]);
    for (uint32_t i = 0; state.nodes[n].member && i < state.nodes[n].share; ++i)
      state.rules.ranks.push_back({"rank " + std::to_string(state.rules.ranks.size()), n, 0});
  }
}

void host_joined(Decision& decision, NodeIndex node) {
  State& state = decision.state;
  if (!is_elastic(state)) return;
  open_places(decision);
  if (state.phase != Phase::running) return;
  const ElasticMembership& rule = *state.rules.membership;
  if (hosts_up(state) >= rule.most || rule.last_call <= Duration(0)) return regroup(decision);
  wait_for_more(decision, state.rules.nodes[node] + " joined: it takes part in the next attempt, which starts in " +
                              humane_duration(rule.last_call));
}

bool absorb_loss(Decision& decision, const NodeState& was, const std::string& sentence) {
  State& state = decision.state;
  const bool missed = state.phase == Phase::running && was.member;
  if (!is_elastic(state) || state.phase == Phase::queued || missed) return false;
  open_places(decision);
  if (state.phase == Phase::running || state.phase == Phase::placing) decision.say(sentence);
  if (state.phase == Phase::running && newcomers(state).empty()) decision.cancel(Timer::last_call);
  run_if_placed(decision);
  settle_if_quiet(decision);
  return true;
}

void last_call_ended(Decision& decision) {
  if (decision.state.phase == Phase::running) return regroup(decision);
  run_if_placed(decision, true);
}

bool can_leave(const State& state, const StopAsked& asked) {
  if (!is_elastic(state) || !asked.node || *asked.node == kFirst) return false;
  const ElasticMembership& rule = *state.rules.membership;
  const bool alive = state.phase == Phase::placing || state.phase == Phase::running;
  const bool again = state.phase != Phase::running || state.restarts < state.rules.restarts.limit;
  return alive && again && rule.least < rule.most && hosts_up(state) > rule.least;
}

void leave(Decision& decision, const StopAsked& asked) {
  State& state = decision.state;
  const std::string sentence = asked.why + ", which leaves the job";
  state.nodes.edit(*asked.node).leaving = true;
  if (state.phase == Phase::running && state.nodes[*asked.node].member)
    return fail_attempt(decision, lost(*asked.node, sentence));
  release_leaving(decision);
  decision.say(sentence);
  run_if_placed(decision);
}

void release_leaving(Decision& decision) {
  State& state = decision.state;
  for (NodeIndex n = 0; n < state.nodes.size(); ++n) {
    if (!state.nodes[n].leaving) continue;
    decision.act(Release{n});
    state.nodes.edit(n) = NodeState{.share = state.nodes[n].share};
    open_places(decision);
  }
}

std::string too_few_hosts(const State& state) {
  return "only " + std::to_string(hosts_up(state)) + " of " + std::to_string(state.rules.membership->least) +
         " hosts joined within " + humane_duration(state.rules.timeouts.start);
}

}  // namespace muster::job
