#include "core/coordinator/silence_watch.h"

#include <vector>

#include "core/base/text.h"

namespace muster {
namespace {

// Longer than an agent takes to kill, sweep and tell.
constexpr Duration kHangs = std::chrono::seconds(15);
// A coordinator proxy that has heard nothing for kCoordinatorTimeout kills its ranks; this much later they are dead.
constexpr Duration kProxyLost = kCoordinatorTimeout + std::chrono::seconds(4);
// After a kill, with a host that is not reached: its link may be about to come back.
constexpr Duration kPassedOver = std::chrono::seconds(3);
// A coordinator proxy repeats its agent's report every beat: after this long its host is unreachable.
constexpr Duration kUnreachableBeats = std::chrono::seconds(3);

}  // namespace

void SilenceWatch::beat() {
  judge_silent_nodes();
  pass_over_unreached();
}

// Where nodes can be replaced, the agent's lease has ended by now, and with it its ranks.
bool SilenceWatch::is_lost(const AgentNode& node) const {
  if (node.proxy) return node.silent * kHeartbeat > kProxyLost;
  if (capabilities().fixed_hosts) return false;
  return node.silent * kHeartbeat > kLease + context_.ledger.submission().spec.restarts.grace + kLeaseMargin;
}

// An agent that is to stop its ranks and says nothing, long after it should be done. One on another machine whose link is
// lost has not heard of it: it is waited for, with what its ranks printed.
bool SilenceWatch::hangs(NodeIndex index, const AgentNode& node) const {
  const job::State& state = context_.ledger.state_of(index);
  if (!node.channel && !capabilities().shares_filesystem) return false;
  return state.phase == job::Phase::stopping && !context_.ledger.state().nodes[index].quiet &&
         node.silent * kHeartbeat > state.grace + kHangs;
}

void SilenceWatch::judge_silent_nodes() {
  const JobLedger& ledger = context_.ledger;
  std::vector<NodeIndex> lost;
  std::vector<NodeIndex> unreachable;
  for (auto& [index, node] : context_.nodes.all()) {
    if (ledger.done() || ledger.state().nodes[index].phase != job::NodeState::Phase::up) continue;
    ++node.silent;
    if (is_lost(node)) lost.push_back(index);
    if (node.proxy && node.silent * kHeartbeat == kUnreachableBeats) unreachable.push_back(index);
    if (hangs(index, node)) context_.ports.backend.placement.end(ledger.ref_of(index));
  }
  for (const NodeIndex node : unreachable) context_.core.happen(job::LinkDown{node});
  for (const NodeIndex node : lost)
    context_.core.give_up(
        node, "nothing was heard of it for " + humane_duration(context_.nodes.get(node).silent * kHeartbeat));
}

// Killed by the user, or with no grace: nobody waits for what is not reached.
bool SilenceWatch::hurries(NodeIndex index) const {
  const job::State& state = context_.ledger.state_of(index);
  const bool last = state.then == job::Then::cancelled || state.then == job::Then::failed;
  return state.phase == job::Phase::stopping && last && state.grace <= Duration(0);
}

// Where hosts are fixed a link may come back for as long as its job lives. Their backend ends what runs there once they are reached.
void SilenceWatch::pass_over_unreached() {
  const job::State& job = context_.ledger.state();
  const bool fixed = capabilities().fixed_hosts && !capabilities().shares_filesystem;
  if (!fixed || (job::gang_count(job) == 1 && job.phase != job::Phase::stopping)) return unreached_.clear();
  std::vector<NodeIndex> away;
  for (NodeIndex index = 0; index < job.nodes.size(); ++index) {
    const job::NodeState& node = job.nodes[index];
    const bool linked = context_.nodes.connected(index) != nullptr;
    const bool up = node.phase == job::NodeState::Phase::up && !node.quiet && !node.unreachable;
    if (!up || linked || !hurries(index)) {
      unreached_.erase(index);
    } else if (++unreached_[index] * kHeartbeat >= kPassedOver) {
      away.push_back(index);
    }
  }
  for (const NodeIndex index : away) context_.core.happen(job::LinkDown{index});
}

}  // namespace muster
