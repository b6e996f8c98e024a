// Coordinator, the setup of its nodes: where what it prints is kept, and what of it is under way.
#include "core/base/text.h"
#include "core/coordinator/coordinator.h"

namespace muster {
namespace {

// More hosts are not named: which of many are not ready yet changes all the time.
constexpr size_t kMostNamed = 4;

}  // namespace

std::string Coordinator::setup_output(Attempt attempt, NodeIndex node) {
  const PlannedRank& rank = first_rank(fold_.submission().plan, node);
  return mirror_ ? output_name(fold_.submission(), attempt, rank, OutputStream::setup)
                 : output_path(attempt, rank, OutputStream::setup);
}

std::string Coordinator::setup_under_way() const {
  const std::string setup = setup_under_way(SetupPhase::running);
  if (!setup.empty()) return "setup on " + setup;
  const std::string devices = setup_under_way(SetupPhase::devices);
  return devices.empty() ? "" : "its GPUs on " + devices;
}

std::string Coordinator::setup_under_way(SetupPhase phase) const {
  std::vector<std::string> hosts;
  std::string doing;
  for (const auto& [index, node] : nodes_) {
    if (node.report.setup.phase != phase) continue;
    hosts.push_back(fold_.submission().plan.nodes[index].host);
    if (doing.empty()) doing = node.report.setup.doing;
  }
  if (hosts.empty()) return "";
  const std::string where = hosts.size() > kMostNamed ? "its hosts" : short_list(hosts, kMostNamed);
  return where + ": " + escaped(doing);
}

}  // namespace muster
