// A node whose link is down may be lost, and ranks elsewhere that worked with it fail. Their failure waits for the verdict on the
// node: who is lost is the cause, who noticed is not.

#include <algorithm>
#include <array>
#include <set>

#include "core/job/peer_error.h"
#include "core/job/raised.h"
#include "core/machine/job/decision.h"

namespace muster::job {
namespace {

// Longer than it takes until a node is given up (core/coordinator/silence_watch.cc).
constexpr Duration kUnreachableTimeout = std::chrono::seconds(15);
// A rank may notice before we do.
constexpr Duration kNoticed = std::chrono::seconds(1);

// Of the attempt; of one that gathers, whoever is there.
std::optional<NodeIndex> unreachable_node(const State& state) {
  if (state.nodes.total().unreachable == 0) return std::nullopt;
  for (NodeIndex n = 0; n < state.nodes.size(); ++n) {
    const bool counts = state.phase == Phase::placing || takes_part(state, n);
    if (state.nodes[n].unreachable && counts) return n;
  }
  return std::nullopt;
}

// What a program says that made an exception of the signal to stop.
bool tells_of_the_stop(const ExitStatus& exit) {
  constexpr std::array<std::string_view, 4> kWords = {"KeyboardInterrupt", "SystemExit", "SIGTERM", "SignalException"};
  return std::any_of(kWords.begin(), kWords.end(),
                     [&](std::string_view word) { return exit.detail.find(word) != std::string::npos; });
}

// A rank that closed its connections on its way out was told to stop before it had ended: who lost it was sooner. A code without
// an exception may be its answer to the stop, and so counts least.
enum class OwnReason { none, code, exception, sure };

OwnReason reason_of(const ExitStatus& exit) {
  constexpr int kShellsCodes = 126;
  if (exit.success() || !peer_error(exit).empty()) return OwnReason::none;
  if (!exit.asked) return OwnReason::sure;
  if (tells_of_the_stop(exit)) return OwnReason::none;
  if (raised(exit)) return OwnReason::exception;
  const bool coded = exit.kind == ExitStatus::Kind::exited && exit.code < kShellsCodes;
  return coded ? OwnReason::code : OwnReason::none;
}

OwnReason own_reason(const State& state, uint32_t index) {
  const RankState& rank = state.ranks[index];
  const bool counts = state.rules.groups[state.rules.ranks[index].group] != SuccessRule::ignore;
  return rank.phase == RankPhase::exited && counts ? reason_of(rank.exit) : OwnReason::none;
}

// The one of those that the report tells anew whose reason is the surest.
std::optional<uint32_t> who_failed(const State& state, const Reported& report, const Ranks& before) {
  std::set<uint32_t> told;
  for (const RankFact& fact : report.ranks) told.insert(fact.index);
  std::optional<uint32_t> surest;
  for (const uint32_t i : told) {
    if (i >= state.ranks.size() || before[i].phase == RankPhase::exited) continue;
    if (own_reason(state, i) > (surest ? own_reason(state, *surest) : OwnReason::none)) surest = i;
  }
  return surest;
}

void fail_held(Decision& decision) {
  if (decision.state.held) fail_attempt(decision, Cause(*decision.state.held));
}

}  // namespace

bool hold(Decision& decision, const Cause& cause) {
  State& state = decision.state;
  const std::optional<NodeIndex> node = unreachable_node(state);
  if (!node || state.held) return state.held.has_value();
  state.held = cause;
  decision.arm(Timer::unreachable, kUnreachableTimeout);
  decision.say(cause.sentence + "; " + state.rules.nodes[*node] + " cannot be reached, perhaps therefore");
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

bool waits_for_verdict(const State& state) { return gathers(state) && unreachable_node(state).has_value(); }

void unreachable_timeout(Decision& decision) { fail_held(decision); }

void blame(Decision& decision, NodeIndex node, const NodeState& was, const std::string& sentence) {
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
