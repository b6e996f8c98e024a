// SPDX-License-Identifier: Apache-2.0
// A node whose link is down may be lost. Ranks on other nodes that communicate with it then fail. Their failure is held until the
// node is reachable again or lost: if it is lost, the loss is the cause.

#include <algorithm>
#include <array>
#include <set>

#include "core/job/peer_error.h"
#include "core/job/raised.h"
#include "core/machine/job/decision.h"

namespace muster::job {
namespace {

// Longer than the time after which an unreachable node counts as lost (core/coordinator/silence_watch.cc).
constexpr Duration kUnreachableTimeout = std::chrono::seconds(15);
// A rank may notice a lost peer this much earlier than the coordinator.
constexpr Duration kNoticed = std::chrono::seconds(1);

// An unreachable node of the attempt; while placing, any unreachable node.
std::optional<NodeIndex> unreachable_node(const State& state) {
  if (state.nodes.total().unreachable == 0) return std::nullopt;
  for (NodeIndex n = 0; n < state.nodes.size(); ++n) {
    const bool counts = state.phase == Phase::placing || takes_part(state, n);
    if (state.nodes[n].unreachable && counts) return n;
  }
  return std::nullopt;
}

// True if the failure message shows that the program turned the stop signal into an exception.
bool raised_by_the_stop(const ExitStatus& exit) {
  constexpr std::array<std::string_view, 4> kWords = {"KeyboardInterrupt", "SystemExit", "SIGTERM", "SignalException"};
  return std::any_of(kWords.begin(), kWords.end(),
                     [&](std::string_view word) { return exit.detail.find(word) != std::string::npos; });
}

// The confidence that a rank failed by itself, and not because muster stopped it. A failing rank closes its connections before it exits, so
// its peers may be reported first, and then muster stops it before it has exited. An exit code without an exception may be its
// reaction to the stop, so it counts least.
enum class OwnReason { none, code, exception, sure };

OwnReason reason_of(const ExitStatus& exit) {
  constexpr int kShellsCodes = 126;
  if (exit.success() || !peer_error(exit).empty()) return OwnReason::none;
  if (!exit.asked) return OwnReason::sure;
  if (raised_by_the_stop(exit)) return OwnReason::none;
  if (raised(exit)) return OwnReason::exception;
  const bool coded = exit.kind == ExitStatus::Kind::exited && exit.code < kShellsCodes;
  return coded ? OwnReason::code : OwnReason::none;
}

OwnReason own_reason(const State& state, uint32_t index) {
  const RankState& rank = state.ranks[index];
  const bool counts = state.rules.groups[state.rules.ranks[index].group] != SuccessRule::ignore;
  return rank.phase == RankPhase::exited && counts ? reason_of(rank.exit) : OwnReason::none;
}

// Among the ranks whose exit is new in the report: the one that most surely failed by itself.
std::optional<uint32_t> who_failed(const State& state, const Reported& report, const Ranks& before) {
  std::set<uint32_t> reported;
  for (const RankFact& fact : report.ranks) reported.insert(fact.index);
  std::optional<uint32_t> surest;
  for (const uint32_t i : reported) {
    if (i >= state.ranks.size() || before[i].phase == RankPhase::exited) continue;
    if (own_reason(state, i) > (surest ? own_reason(state, *surest) : OwnReason::none)) surest = i;
  }
  return surest;
}

void fail_held(Decision& decision) {
  if (decision.state.held) fail_attempt(decision, Cause(*decision.state.held));
}

}  // namespace

bool hold_failure(Decision& decision, const Cause& cause) {
  State& state = decision.state;
  const std::optional<NodeIndex> node = unreachable_node(state);
  if (!node || state.held) return state.held.has_value();
  state.held = cause;
  decision.arm(Timer::unreachable, kUnreachableTimeout);
  decision.say(cause.sentence + "; " + state.rules.nodes[*node] + " is unreachable, which may be the cause");
  return true;
}

void mark_unreachable(Decision& decision, NodeIndex index) {
  const NodeState& node = decision.state.nodes[index];
  if (node.phase == NodeState::Phase::up && !node.unreachable)
    decision.state.nodes.edit(index).unreachable = decision.now;
}

bool mark_reachable(Decision& decision, NodeIndex index) {
  if (!decision.state.nodes[index].unreachable) return false;
  decision.state.nodes.edit(index).unreachable.reset();
  if (!unreachable_node(decision.state)) fail_held(decision);
  return true;
}

bool awaits_unreachable_node(const State& state) { return is_elastic(state) && unreachable_node(state).has_value(); }

void unreachable_timeout(Decision& decision) { fail_held(decision); }

void blame_lost_node(Decision& decision, NodeIndex node, const NodeState& was, const std::string& sentence) {
  State& state = decision.state;
  const bool failed_elsewhere = state.phase == Phase::stopping && state.then != Then::cancelled && state.cause &&
                                state.cause->rank && state.rules.ranks[*state.cause->rank].node != node;
  if (!failed_elsewhere || !was.unreachable || *was.unreachable - state.failed_at > kNoticed) return;
  decision.say(sentence + "; " + state.cause->sentence + " because of that");
  state.cause = lost(node, sentence);
  state.failed_at = decision.now;
}

void blame_peer(Decision& decision, const Reported& report, const Ranks& before) {
  State& state = decision.state;
  const bool noticed = state.phase == Phase::stopping && state.then != Then::cancelled && state.cause &&
                       state.cause->rank && !state.cause->hung && !peer_error(state.cause->exit).empty();
  if (!noticed) return;
  const std::optional<uint32_t> failed = who_failed(state, report, before);
  if (!failed) return;
  const ExitStatus& exit = state.ranks[*failed].exit;
  Cause cause{name_with_place(state, *failed) + " " + describe_exit(exit), *failed, exit};
  decision.say(cause.sentence + "; " + state.cause->sentence + " because of that");
  state.cause = std::move(cause);
  state.failed_at = decision.now;
  const bool no_more = state.then == Then::retry && is_final(state, *state.cause);
  if (no_more) stop_attempt(decision, Then::failed, state.grace, state.cause->sentence, state.signal);
}

}  // namespace muster::job
