// SPDX-License-Identifier: Apache-2.0
#include "core/coordinator/live_view.h"

#include <vector>

#include "core/base/text.h"

namespace muster {
namespace {

// More hosts are not named, because the list of those that are not ready would change all the time.
constexpr size_t kMostNamed = 4;

// "node-a, node-b: uv sync"
std::string setup_in(SetupPhase phase, const Plan& plan, const AgentNodes& nodes) {
  std::vector<std::string> hosts;
  std::string doing;
  for (const auto& [index, node] : nodes.all()) {
    if (node.report.setup.phase != phase) continue;
    hosts.push_back(plan.nodes[index].host);
    if (doing.empty()) doing = node.report.setup.doing;
  }
  if (hosts.empty()) return "";
  const std::string where = hosts.size() > kMostNamed ? "its hosts" : short_list(hosts, kMostNamed);
  return where + ": " + escaped(doing);
}

}  // namespace

void add_live_ranks(const JobFold& fold, const AgentNodes& nodes, JobView& view) {
  for (const auto& [index, node] : nodes.all()) {
    if (node.report.attempt != job::attempt_on(fold.state(), index)) continue;
    for (const RankReport& rank : node.report.ranks) {
      if (rank.index >= view.ranks.size()) continue;
      RankView& shown = view.ranks[rank.index];
      shown.pid = rank.pid;
      shown.started = rank.started;
      shown.ended = rank.ended;
      shown.progress = rank.progress;
      shown.finding = rank.finding;
      shown.standing = rank.standing;
      shown.use = rank.use;
    }
  }
}

std::string setup_under_way(const Plan& plan, const AgentNodes& nodes) {
  const std::string setup = setup_in(SetupPhase::running, plan, nodes);
  if (!setup.empty()) return "setup on " + setup;
  const std::string devices = setup_in(SetupPhase::devices, plan, nodes);
  return devices.empty() ? "" : "its GPUs on " + devices;
}

}  // namespace muster
