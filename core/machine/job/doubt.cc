// A node whose link is down may be lost, and ranks elsewhere that worked with it fail. Their failure waits for the verdict on the
// node: who is lost is the cause, who noticed is not.

#include <algorithm>

#include "core/machine/job/decision.h"

namespace muster::job {
namespace {

// Longer than it takes until a node is given up (runtime/coordinator_nodes.cc).
constexpr Duration kLongestDoubt = std::chrono::seconds(15);
// A rank may notice before we do.
constexpr Duration kNoticed = std::chrono::seconds(1);

const NodeState* in_doubt(const State& state) {
  const auto found = std::find_if(state.nodes.begin(), state.nodes.end(),
                                  [](const NodeState& node) { return node.doubted.has_value(); });
  return found == state.nodes.end() ? nullptr : &*found;
}

void fail_held(Decision& decision) {
  if (decision.state.held) fail_attempt(decision, Cause(*decision.state.held));
}

}  // namespace

bool hold(Decision& decision, const Cause& cause) {
  State& state = decision.state;
  const NodeState* node = in_doubt(state);
  if (node == nullptr || state.held) return state.held.has_value();
  state.held = cause;
  decision.arm(Timer::doubt, kLongestDoubt);
  decision.say(cause.sentence + "; " + state.rules.nodes[static_cast<size_t>(node - state.nodes.data())] +
               " cannot be reached, perhaps therefore");
  return true;
}

void doubt(Decision& decision, NodeIndex index) {
  NodeState& node = decision.state.nodes[index];
  if (node.phase == NodeState::Phase::up && !node.doubted) node.doubted = decision.now;
}

void trust(Decision& decision, NodeIndex index) {
  if (!decision.state.nodes[index].doubted) return;
  decision.state.nodes[index].doubted.reset();
  if (in_doubt(decision.state) == nullptr) fail_held(decision);
}

void doubt_is_over(Decision& decision) { fail_held(decision); }

void blame(Decision& decision, NodeIndex node, const NodeState& was, const std::string& sentence) {
  State& state = decision.state;
  const bool failed_elsewhere = state.phase == Phase::stopping && state.then != Then::cancelled && state.cause &&
                                state.cause->rank && state.rules.ranks[*state.cause->rank].node != node;
  if (!failed_elsewhere || !was.doubted || *was.doubted - state.failed_at > kNoticed) return;
  decision.say(sentence + "; " + state.cause->sentence + " because of that");
  state.cause = Cause{sentence, std::nullopt, {}};
  state.failed_at = decision.now;
}

}  // namespace muster::job
