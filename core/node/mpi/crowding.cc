// SPDX-License-Identifier: Apache-2.0
#include "core/node/mpi/crowding.h"

#include <sched.h>

#include <set>
#include <string>

namespace muster {
namespace {

// The CPUs that this process may use; 0: unknown.
size_t usable_cpus() {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? static_cast<size_t>(CPU_COUNT(&set)) : 0;
}

// Of this world. Nodes of one machine have its name with "-node-" and their number (core/attempt/mpi_assignment.cc).
size_t ranks_on_this_machine(const MpiTask& task) {
  const auto machine = [&](size_t node) {
    const std::string& name = task.nodes[node].name;
    const std::string number = "-node-" + std::to_string(node);
    return name.ends_with(number) ? name.substr(0, name.size() - number.size()) : name;
  };
  size_t ranks = 0;
  for (size_t node = 0; node < task.nodes.size(); ++node) {
    if (machine(node) == machine(task.node)) ranks += task.nodes[node].ranks.size();
  }
  return ranks;
}

}  // namespace

bool has_more_ranks_than_cpus(const std::vector<SpawnRequest>& ranks, const MpiTask& task) {
  std::set<uint32_t> bound;
  for (const SpawnRequest& rank : ranks) bound.insert(rank.cpus.begin(), rank.cpus.end());
  if (!bound.empty()) return ranks.size() > bound.size();
  return usable_cpus() > 0 && ranks_on_this_machine(task) > usable_cpus();
}

}  // namespace muster
