#include "core/model/plan.h"

#include <algorithm>

#include "core/base/text.h"

namespace muster {
namespace {

constexpr uint64_t kMostRanks = 100'000;

// What every node of a group gets.
struct Share {
  uint32_t workers = 0;  // per node
  uint32_t gpus = 0;     // per worker
};

bool takes_what_is_left(const GroupSpec& group) {
  const bool no_gpus = !group.worker.gpus.automatic && group.worker.gpus.count == 0;
  return group.worker.gpus.automatic || (group.workers.automatic && !no_gpus);
}

uint64_t fixed_gpus(const GroupSpec& group) {
  if (takes_what_is_left(group)) return 0;
  const uint64_t workers = group.workers.automatic ? 1 : group.workers.count;
  return workers * group.max_nodes * group.worker.gpus.count;
}

std::string text_of(const GroupSpec& group, const Share& share, const std::string& each) {
  return "group " + group.name + ": " + count_of(group.max_nodes, "node") + " × " +
         count_of(share.workers, "worker") + " × " + each;
}

// A node's share of the GPUs that no group claimed by number, in whole GPUs.
uint64_t gpus_for_each_open_node(const JobSpec& spec, const Inventory& machine) {
  uint64_t claimed = 0;
  uint64_t nodes = 0;
  for (const GroupSpec& group : spec.groups) {
    claimed += fixed_gpus(group);
    nodes += takes_what_is_left(group) ? group.max_nodes : 0;
  }
  return claimed > machine.gpus.size() || nodes == 0 ? 0 : (machine.gpus.size() - claimed) / nodes;
}

Share share_of(const GroupSpec& group, uint64_t open_gpus) {
  const uint64_t visible = takes_what_is_left(group) ? open_gpus : 0;
  Share share;
  if (group.workers.automatic && group.worker.gpus.automatic) {
    share.workers = static_cast<uint32_t>(std::max<uint64_t>(visible, 1));
  } else if (group.workers.automatic) {
    const uint64_t each = std::max<uint64_t>(group.worker.gpus.count, 1);
    share.workers = static_cast<uint32_t>(std::max<uint64_t>(visible / each, 1));
  } else {
    share.workers = group.workers.count;
  }
  const uint64_t divided = share.workers == 0 ? 0 : visible / share.workers;
  share.gpus = group.worker.gpus.automatic ? static_cast<uint32_t>(divided) : group.worker.gpus.count;
  return share;
}

struct Needs {
  uint64_t ranks = 0;
  uint64_t gpus = 0;
  uint64_t cpus = 0;
  uint64_t memory_bytes = 0;  // saturates
  std::vector<std::string> gpu_parts;
  std::vector<std::string> cpu_parts;
  std::vector<std::string> memory_parts;
};

uint64_t saturating_product(uint64_t a, uint64_t b) { return b != 0 && a > UINT64_MAX / b ? UINT64_MAX : a * b; }

void add_needs(Needs& needs, const GroupSpec& group, const Share& share) {
  const uint64_t ranks = static_cast<uint64_t>(group.max_nodes) * share.workers;
  const uint64_t memory = saturating_product(ranks, group.worker.memory_bytes);
  needs.ranks += ranks;
  needs.gpus += ranks * share.gpus;
  needs.cpus += ranks * group.worker.cpus;
  needs.memory_bytes = memory > UINT64_MAX - needs.memory_bytes ? UINT64_MAX : needs.memory_bytes + memory;
  if (share.gpus > 0) needs.gpu_parts.push_back(text_of(group, share, count_of(share.gpus, "GPU")));
  if (group.worker.cpus > 0) needs.cpu_parts.push_back(text_of(group, share, count_of(group.worker.cpus, "CPU")));
  if (memory > 0) needs.memory_parts.push_back(text_of(group, share, humane_size(group.worker.memory_bytes)));
}

Status short_of(const std::string& need, const std::vector<std::string>& parts, const std::string& host,
                const std::string& have, const std::string& change) {
  constexpr size_t kMostParts = 4;
  return Status(Code::resource_exhausted, "the job needs " + need + " (" + short_list(parts, kMostParts) +
                                              "), but " + (host.empty() ? "this machine" : host) + " has " + have +
                                              "; lower " + change);
}

Status check_fit(const Needs& needs, const Inventory& machine) {
  if (needs.ranks > kMostRanks) {
    return Status(Code::resource_exhausted, "the job has " + std::to_string(needs.ranks) + " ranks, more than " +
                                                std::to_string(kMostRanks) + "; lower nodes or workers");
  }
  if (needs.gpus > machine.gpus.size()) {
    return short_of(count_of(needs.gpus, "GPU"), needs.gpu_parts, machine.host,
                    machine.gpus.empty() ? "none" : std::to_string(machine.gpus.size()),
                    "nodes, workers or worker.gpus");
  }
  if (needs.cpus > machine.cpus.size()) {
    return short_of(count_of(needs.cpus, "CPU"), needs.cpu_parts, machine.host,
                    std::to_string(machine.cpus.size()), "nodes, workers or worker.cpus (0 binds to none)");
  }
  const bool known = machine.memory_bytes > 0;
  if (!known || needs.memory_bytes <= machine.memory_bytes) return Status();
  return short_of(humane_size(needs.memory_bytes) + " of memory", needs.memory_parts, machine.host,
                  humane_size(machine.memory_bytes), "workers or worker.memory");
}

// Deals out a machine's devices in order, none twice.
class Dealer {
 public:
  Dealer(const JobSpec& spec, const Inventory& machine) : spec_(spec), machine_(machine) {}

  void deal_group(uint32_t group, const Share& share) {
    const uint32_t nodes = spec_.groups[group].max_nodes;
    for (uint32_t node = 0; node < nodes; ++node) deal_node(group, node, share);
  }

  Plan take() {
    number_worlds();
    return std::move(plan_);
  }

 private:
  void deal_node(uint32_t group, uint32_t group_node, const Share& share) {
    PlannedNode node;
    node.node = static_cast<NodeIndex>(plan_.nodes.size());
    node.group = group;
    node.host = machine_.host;
    for (uint32_t local = 0; local < share.workers; ++local) {
      node.ranks.push_back(static_cast<uint32_t>(plan_.ranks.size()));
      plan_.ranks.push_back(deal_rank(group, group_node, local, share));
      plan_.ranks.back().node = node.node;
    }
    plan_.nodes.push_back(std::move(node));
  }

  PlannedRank deal_rank(uint32_t group, uint32_t group_node, uint32_t local, const Share& share) {
    const GroupSpec& spec = spec_.groups[group];
    PlannedRank rank;
    rank.group = group;
    rank.rank = group_node * share.workers + local;
    rank.world_size = spec.max_nodes * share.workers;
    rank.local_rank = local;
    rank.local_size = share.workers;
    rank.group_node = group_node;
    rank.group_nodes = spec.max_nodes;
    rank.memory_bytes = spec.worker.memory_bytes;
    for (uint32_t i = 0; i < share.gpus; ++i) rank.gpus.push_back(machine_.gpus[next_gpu_++]);
    for (uint32_t i = 0; i < spec.worker.cpus; ++i) rank.cpus.push_back(machine_.cpus[next_cpu_++]);
    return rank;
  }

  void number_worlds() {
    const bool shared = spec_.world == World::shared;
    for (size_t i = 0; i < plan_.ranks.size(); ++i) {
      PlannedRank& rank = plan_.ranks[i];
      rank.world_rank = shared ? static_cast<Rank>(i) : rank.rank;
      if (shared) rank.world_size = static_cast<uint32_t>(plan_.ranks.size());
    }
  }

  const JobSpec& spec_;
  const Inventory& machine_;
  Plan plan_;
  size_t next_gpu_ = 0;
  size_t next_cpu_ = 0;
};

}  // namespace

Result<Plan> plan_on_one_machine(const JobSpec& spec, const Inventory& machine) {
  if (spec.groups.empty()) return Status(Code::invalid_argument, "the job has no group of workers");
  const uint64_t open_gpus = gpus_for_each_open_node(spec, machine);
  std::vector<Share> shares;
  Needs needs;
  for (const GroupSpec& group : spec.groups) {
    shares.push_back(share_of(group, open_gpus));
    add_needs(needs, group, shares.back());
  }
  const Status fit = check_fit(needs, machine);
  if (!fit.ok()) return fit;
  Dealer dealer(spec, machine);
  for (uint32_t group = 0; group < shares.size(); ++group) dealer.deal_group(group, shares[group]);
  return dealer.take();
}

std::string rank_name(const JobSpec& spec, const PlannedRank& rank) {
  const bool several_worlds = spec.groups.size() > 1 && spec.world == World::own;
  if (!several_worlds || rank.group >= spec.groups.size()) return "rank " + std::to_string(rank.world_rank);
  return spec.groups[rank.group].name + " " + std::to_string(rank.rank);
}

}  // namespace muster
