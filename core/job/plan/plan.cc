// SPDX-License-Identifier: Apache-2.0
#include "core/job/plan/plan.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/job/plan/machine_deal.h"
#include "core/job/plan/numa_binding.h"

namespace muster {
namespace {

constexpr uint64_t kMostRanks = 100'000;

// The workers and GPUs of each node of a group.
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

// The number of GPUs for each node of groups without a fixed number of GPUs: an equal share of those that no other
// group takes.
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

// The need for a kind of device, or for memory, summed over the groups.
struct Need {
  uint64_t total = 0;              // saturates
  std::vector<std::string> parts;  // one per group: "2 nodes × 2 workers × 1 GPU"; factors of 1 are left out
  bool many_nodes = false;         // some part has more than one node, worker or unit per worker
  bool many_workers = false;
  bool many_each = false;
};

struct GroupNeeds {
  uint64_t ranks = 0;
  Need gpus;
  Need cpus;
  Need memory;
};

uint64_t saturating_product(uint64_t a, uint64_t b) { return b != 0 && a > UINT64_MAX / b ? UINT64_MAX : a * b; }

std::string product_text(const GroupSpec& group, const Share& share, const std::string& each) {
  std::vector<std::string> factors;
  if (group.max_nodes > 1) factors.push_back(count_of(group.max_nodes, "node"));
  if (share.workers > 1) factors.push_back(count_of(share.workers, "worker"));
  factors.push_back(each);
  return join(factors, " × ");
}

void add_need(Need& need, const GroupSpec& group, const Share& share, uint64_t each, const std::string& each_text) {
  if (each == 0) return;
  const uint64_t total = saturating_product(static_cast<uint64_t>(group.max_nodes) * share.workers, each);
  need.total = total > UINT64_MAX - need.total ? UINT64_MAX : need.total + total;
  need.parts.push_back("group " + group.name + ": " + product_text(group, share, each_text));
  need.many_nodes = need.many_nodes || group.max_nodes > 1;
  need.many_workers = need.many_workers || share.workers > 1;
  need.many_each = need.many_each || each > 1;
}

void add_needs(GroupNeeds& needs, const GroupSpec& group, const Share& share) {
  needs.ranks += static_cast<uint64_t>(group.max_nodes) * share.workers;
  add_need(needs.gpus, group, share, share.gpus, count_of(share.gpus, "GPU"));
  add_need(needs.cpus, group, share, group.worker.cpus, count_of(group.worker.cpus, "CPU"));
  add_need(needs.memory, group, share, group.worker.memory_bytes, humane_size(group.worker.memory_bytes));
}

// " (2 nodes × 2 workers × 1 GPU)"; empty if the sum is the need of a single worker.
std::string sum_text(const Need& need) {
  constexpr size_t kMostParts = 4;
  if (need.parts.size() > 1) return " (" + short_list(need.parts, kMostParts) + ")";
  if (!need.many_nodes && !need.many_workers) return "";
  return " (" + need.parts[0].substr(need.parts[0].find(": ") + 2) + ")";
}

// The keys whose values can be lowered: "lower nodes, workers or worker.gpus".
std::string lower_text(const Need& need, const std::string& key) {
  std::vector<std::string> keys;
  if (need.many_nodes) keys.push_back("nodes");
  if (need.many_workers) keys.push_back("workers");
  if (need.many_each || keys.empty()) keys.push_back(key);
  if (keys.size() == 1) return "lower " + keys[0];
  const std::string last = keys.back();
  keys.pop_back();
  return "lower " + join(keys, ", ") + " or " + last;
}

Status short_of(const Need& need, const std::string& text, const Inventory& machine, const std::string& have,
                const std::string& advice) {
  return Status(Code::resource_exhausted, "the job needs " + text + sum_text(need) + ", but " +
                                              (machine.host.empty() ? "this machine" : machine.host) + " has " + have +
                                              "; " + advice);
}

Status check_fit(const GroupNeeds& needs, const Inventory& machine) {
  if (needs.ranks > kMostRanks) {
    return Status(Code::resource_exhausted, "the job has " + count_of(needs.ranks, "rank") + ", more than " +
                                                humane_count(kMostRanks) + "; lower nodes or workers");
  }
  if (needs.gpus.total > machine.gpus.size()) {
    const bool none = machine.gpus.empty();
    return short_of(needs.gpus, count_of(needs.gpus.total, "GPU"), machine,
                    none ? "none" : std::to_string(machine.gpus.size()),
                    none ? "with --gpus 0 it runs on CPUs" : lower_text(needs.gpus, "worker.gpus"));
  }
  if (needs.cpus.total > machine.cpus.size()) {
    return short_of(needs.cpus, count_of(needs.cpus.total, "CPU"), machine, std::to_string(machine.cpus.size()),
                    lower_text(needs.cpus, "worker.cpus") + " (with --cpus 0, ranks are not bound)");
  }
  if (!machine.memory_bytes || needs.memory.total <= *machine.memory_bytes) return Status();
  return short_of(needs.memory, humane_size(needs.memory.total) + " of memory", machine,
                  humane_size(*machine.memory_bytes), lower_text(needs.memory, "worker.memory"));
}

// Assigns the devices of a machine to ranks, in order and none twice.
class Dealer {
 public:
  Dealer(const JobSpec& spec, const Inventory& machine) : spec_(spec), machine_(machine) {}

  void deal_group(uint32_t group, const Share& share) {
    const uint32_t nodes = spec_.groups[group].max_nodes;
    for (uint32_t node = 0; node < nodes; ++node) deal_node(group, node, share);
  }

  Plan take() {
    number_worlds(spec_, plan_);
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

  const JobSpec& spec_;
  const Inventory& machine_;
  Plan plan_;
  size_t next_gpu_ = 0;
  size_t next_cpu_ = 0;
};

}  // namespace

void number_worlds(const JobSpec& spec, Plan& plan) {
  const bool shared = spec.world == World::shared;
  for (size_t i = 0; i < plan.ranks.size(); ++i) {
    PlannedRank& rank = plan.ranks[i];
    rank.world_rank = shared ? static_cast<Rank>(i) : rank.rank;
    if (shared) rank.world_size = static_cast<uint32_t>(plan.ranks.size());
  }
}

Result<Plan> deal_machine(const JobSpec& spec, const Inventory& machine) {
  const uint64_t open_gpus = gpus_for_each_open_node(spec, machine);
  std::vector<Share> shares;
  GroupNeeds needs;
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

namespace {

// Removes a node from the group that is furthest above its minimum. False: all groups are at their minimum.
bool remove_a_node(JobSpec& spec) {
  const auto most = std::max_element(
      spec.groups.begin(), spec.groups.end(),
      [](const GroupSpec& a, const GroupSpec& b) { return a.max_nodes - a.min_nodes < b.max_nodes - b.min_nodes; });
  if (most->max_nodes <= most->min_nodes) return false;
  --most->max_nodes;
  return true;
}

}  // namespace

Result<Plan> plan_on_one_machine(const JobSpec& spec, const Inventory& machine) {
  if (spec.groups.empty()) return Status(Code::invalid_argument, "the job has no group of workers");
  JobSpec fewer = spec;
  Result<Plan> plan = deal_machine(fewer, machine);
  while (!plan.ok() && remove_a_node(fewer)) plan = deal_machine(fewer, machine);
  if (!plan.ok()) return plan;
  const Status bound = bind_beside_gpus(spec.torch.numa_binding, machine, *plan);
  if (!bound.ok()) return bound;
  return plan;
}

const std::vector<uint32_t>& bound_cpus(const PlannedRank& rank) { return rank.cpus.empty() ? rank.near : rank.cpus; }

const HostSpec* host_of(const JobSpec& spec, const Plan& plan, const PlannedRank& rank) {
  if (rank.node >= plan.nodes.size()) return nullptr;
  const auto found = std::find_if(spec.hosts.begin(), spec.hosts.end(),
                                  [&](const HostSpec& host) { return host.name == plan.nodes[rank.node].host; });
  return found == spec.hosts.end() ? nullptr : &*found;
}

std::map<std::string, std::string> host_variables(const HostSpec& host) {
  std::map<std::string, std::string> variables = host.env;
  if (!host.scratch.empty()) variables.emplace("TMPDIR", host.scratch);
  return variables;
}

std::string rank_name(const JobSpec& spec, const PlannedRank& rank) {
  const bool several_worlds = spec.groups.size() > 1 && spec.world == World::own;
  if (!several_worlds || rank.group >= spec.groups.size()) return "rank " + std::to_string(rank.world_rank);
  return spec.groups[rank.group].name + " " + std::to_string(rank.rank);
}

}  // namespace muster
