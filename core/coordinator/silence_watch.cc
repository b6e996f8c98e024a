// SPDX-License-Identifier: Apache-2.0
#include "core/coordinator/silence_watch.h"

#include <utility>
#include <vector>

#include "core/base/text.h"

namespace muster {
namespace {

// Longer than an agent needs to kill its ranks, sweep and report.
constexpr Duration kHangs = std::chrono::seconds(15);
// A coordinator proxy without a message for kCoordinatorTimeout kills its ranks; after this time they are dead.
constexpr Duration kProxyLost = kCoordinatorTimeout + std::chrono::seconds(4);
// The time that a killed job waits for a host whose link is down: the link may come back.
constexpr Duration kPassedOver = std::chrono::seconds(3);
// A coordinator proxy sends its agent's report every heartbeat. After this long without one, its host counts as unreachable.
constexpr Duration kUnreachableBeats = std::chrono::seconds(3);
// The time in which an agent on another machine is continued: an ssh login, and the next look at the agent.
constexpr Duration kResumes = std::chrono::seconds(10);
constexpr uint32_t kMuteBeats = 2;  // heartbeats without a report

}  // namespace

void SilenceWatch::beat() {
  look_for_stopped_agents();
  look_for_mute_agents();
  judge_silent_nodes();
  pass_over_unreached();
}

// Only a backend that sees the agents' processes finds out that they are stopped.
void SilenceWatch::look_for_stopped_agents() {
  AgentProcesses* agents = context_.ports.backend.agents;
  if (agents == nullptr) return;
  const std::map<NodeIndex, Stopped> before = std::exchange(stopped_, {});
  for (const auto& [index, node] : context_.nodes.all()) {
    const NodeRef ref = context_.ledger.ref_of(index);
    if (context_.ledger.state().nodes[index].phase != job::NodeState::Phase::up) continue;
    if (const std::optional<int64_t> pid = agents->stopped_agent(ref)) {
      const auto known = before.find(index);
      stopped_[index] = {*pid, known == before.end() ? 0 : known->second.resumed};
    } else if (!node.channel) {
      agents->resume(ref);  // the agent has ended, and its guardian may be stopped
    }
  }
  for (auto& [index, agent] : stopped_) end_ranks_of(index, agent);
  if (stopped_.size() != before.size()) context_.core.changed();
}

// A stopped agent cannot pass the stop on. It is continued, so that its ranks get their grace. If that does not help, it is killed.
void SilenceWatch::end_ranks_of(NodeIndex index, Stopped& agent) {
  const job::State& state = context_.ledger.state_of(index);
  if (state.phase != job::Phase::stopping || context_.ledger.state().nodes[index].quiet) return;
  const NodeRef ref = context_.ledger.ref_of(index);
  const Duration patience = capabilities().shares_filesystem ? Duration(0) : kResumes;
  const uint32_t since = agent.resumed++;
  if (since == 0) return context_.ports.backend.agents->resume(ref);
  if (since * kHeartbeat > patience) context_.ports.backend.placement.end(ref);
}

// Where a lease depends on the heartbeats, an agent reports in each of them. If it is connected and silent, nobody can say why.
void SilenceWatch::look_for_mute_agents() {
  std::set<NodeIndex> mute;
  if (!capabilities().fixed_hosts) {
    for (const auto& [index, node] : context_.nodes.all()) {
      const job::NodeState& state = context_.ledger.state().nodes[index];
      const bool reports = state.phase == job::NodeState::Phase::up && node.channel && !node.proxy;
      if (reports && node.silent > kMuteBeats) mute.insert(index);
    }
  }
  if (mute == std::exchange(mute_, mute)) return;
  context_.core.changed();
}

std::string SilenceWatch::host_of(NodeIndex index) const { return context_.ledger.submission().plan.nodes[index].host; }

// "kill -CONT 7" on the agent's host.
std::string SilenceWatch::stopped_sentence(NodeIndex index, int64_t pid) const {
  const std::string number = std::to_string(pid);
  const bool here = capabilities().shares_filesystem;
  const std::string host = escaped(host_of(index));
  return "the agent " + (here ? "" : "on " + host + " ") + "(pid " + number +
         ") is stopped by a signal, so its ranks are not watched; " + (here ? "" : "ssh " + host + " ") +
         "kill -CONT " + number + " continues it";
}

// Such an agent cannot examine its ranks, so nobody should wait for their locations.
void SilenceWatch::add_to(JobView& view) const {
  std::vector<std::string> sentences;
  for (const auto& [index, agent] : stopped_) sentences.push_back(stopped_sentence(index, agent.pid));
  for (const NodeIndex index : mute_) {
    sentences.push_back("the agent on " + escaped(host_of(index)) +
                        " is connected but sends no reports, so its ranks are not watched; the node is overloaded or a "
                        "signal has stopped the agent, which is given up after " +
                        humane_duration(lease_over()));
  }
  for (RankView& rank : view.ranks) {
    if (!stopped_.contains(rank.node) && !mute_.contains(rank.node)) continue;
    RankLocation location = rank.standing ? *rank.standing : RankLocation();
    location.complete = true;
    rank.standing = std::move(location);
  }
  if (!view.hang.empty()) sentences.push_back(view.hang);
  view.hang = join(sentences, "\n");
}

Duration SilenceWatch::lease_over() const {
  return kLease + context_.ledger.submission().spec.restarts.grace + kLeaseMargin;
}

// If nodes can be replaced, the agent's lease and its ranks have ended after this time.
bool SilenceWatch::is_lost(const AgentNode& node) const {
  if (node.proxy) return node.silent * kHeartbeat > kProxyLost;
  if (capabilities().fixed_hosts) return false;
  return node.silent * kHeartbeat > lease_over();
}

// An agent that should have stopped its ranks long ago but does not report. If its host is another machine whose link is down,
// the agent may not have received the order, and is waited for together with its output.
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
    context_.core.give_up(node, "no report for " + humane_duration(context_.nodes.get(node).silent * kHeartbeat));
}

// A job that was killed by the user, or that has no grace, does not wait for unreachable hosts.
bool SilenceWatch::hurries(NodeIndex index) const {
  const job::State& state = context_.ledger.state_of(index);
  const bool last = state.then == job::Then::cancelled || state.then == job::Then::failed;
  return state.phase == job::Phase::stopping && last && state.grace <= Duration(0);
}

// With fixed hosts, a link may come back as long as the job lives. The backend ends the processes on a host once it is reached.
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
