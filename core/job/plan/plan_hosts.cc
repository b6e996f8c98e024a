// SPDX-License-Identifier: Apache-2.0
#include "core/job/plan/plan_hosts.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "core/base/text.h"
#include "core/job/plan/machine_deal.h"
#include "core/job/plan/numa_binding.h"

namespace muster {
namespace {

constexpr size_t kMostNamed = 4;  // hosts, in a sentence

// The groups with a node on one host. The plan has a node for each of them, in this order.
struct HostGroups {
  std::vector<uint32_t> groups;
  Plan plan;
};

// Why hosts cannot hold one more node of a group.
using Lacks = std::map<std::string, std::vector<std::string>>;  // reason → names of hosts

// Sets `workers: auto` on a host with slots: at most the slots; without GPUs, all slots.
void count_by_slots(JobSpec& spec, const Plan& plan, uint32_t slots) {
  uint32_t fixed = 0;
  uint32_t open = 0;
  for (uint32_t group = 0; group < spec.groups.size(); ++group) {
    spec.groups[group].workers.automatic ? ++open : fixed += spec.groups[group].workers.count;
  }
  if (open == 0 || slots <= fixed) return;
  for (uint32_t group = 0; group < spec.groups.size(); ++group) {
    AutoCount& workers = spec.groups[group].workers;
    if (!workers.automatic) continue;
    const PlannedNode& node = plan.nodes[group];
    const bool has_gpus = !node.ranks.empty() && !plan.ranks[node.ranks.front()].gpus.empty();
    const auto by_gpus = static_cast<uint32_t>(node.ranks.size());
    workers = {false, std::max(1u, has_gpus ? std::min(by_gpus, (slots - fixed) / open) : (slots - fixed) / open)};
  }
}

// Replaces `auto` counts by those of the plan on the whole host.
void fix_counts(JobSpec& spec, const Plan& plan) {
  for (uint32_t group = 0; group < spec.groups.size(); ++group) {
    const PlannedNode& node = plan.nodes[group];
    spec.groups[group].workers = {false, static_cast<uint32_t>(node.ranks.size())};
    if (!node.ranks.empty())
      spec.groups[group].worker.gpus = {false, static_cast<uint32_t>(plan.ranks[node.ranks.front()].gpus.size())};
  }
}

Status check_slots(const Plan& plan, const JobHost& host, uint64_t taken) {
  if (host.slots == 0 || plan.ranks.size() + taken <= host.slots) return Status();
  return Status(Code::resource_exhausted,
                "it has " + count_of(host.slots, "slot") + " for " + count_of(plan.ranks.size(), "rank"));
}

// A plan with one node of each of these groups on the host.
Result<Plan> deal_host(const JobSpec& base, const std::vector<uint32_t>& groups, const JobHost& host,
                       const HostRoom* room) {
  JobSpec spec = base;
  spec.groups.clear();
  for (const uint32_t group : groups) {
    spec.groups.push_back(base.groups[group]);
    spec.groups.back().min_nodes = spec.groups.back().max_nodes = 1;
  }
  Result<Plan> plan = deal_machine(spec, host.machine);
  if (!plan.ok()) return plan;
  if (host.slots > 0) {
    count_by_slots(spec, *plan, host.slots);
    plan = deal_machine(spec, host.machine);
    if (!plan.ok()) return plan;
  }
  if (room != nullptr) {
    fix_counts(spec, *plan);
    plan = deal_machine(spec, room->free);
    if (!plan.ok()) return plan;
  }
  Status status = check_slots(*plan, host, room == nullptr ? 0 : room->slots_taken);
  if (status.ok()) status = bind_beside_gpus(base.torch.numa_binding, host.machine, *plan);
  if (!status.ok()) return status;
  return plan;
}

// Places nodes on hosts, one after the other.
class NodePlacer {
 public:
  NodePlacer(const JobSpec& spec, const std::vector<JobHost>& hosts, const std::vector<HostRoom>& rooms)
      : hosts_(hosts),
        rooms_(rooms),
        host_groups_(hosts.size()),
        nodes_(spec.groups.size()),
        lacks_(spec.groups.size()),
        refused_(spec.groups.size()),
        next_empty_(spec.groups.size(), 0) {
    base_ = spec;
    base_.hosts.clear();  // not needed, and base_ is copied for every host
    // In messages, so that equal reasons of several hosts are merged.
    for (JobHost& host : hosts_) host.machine.host = "the host";
    for (size_t host = 0; host < hosts_.size(); ++host) order_.push_back(host);
    std::stable_sort(order_.begin(), order_.end(),
                     [&](size_t a, size_t b) { return hosts_[a].weight > hosts_[b].weight; });
  }

  // Tries hosts without a node first. False: no host can hold the node.
  bool add_node(uint32_t group) {
    for (size_t& next = next_empty_[group]; next < order_.size(); ++next) {
      if (host_groups_[order_[next]].groups.empty() && place_on(group, order_[next])) return true;
    }
    for (const size_t host : order_) {
      const std::vector<uint32_t>& there = host_groups_[host].groups;
      if (std::find(there.begin(), there.end(), group) != there.end() || refused_[group].count(host) > 0) continue;
      if (place_on(group, host)) return true;
    }
    return false;
  }

  uint32_t nodes_of(uint32_t group) const { return static_cast<uint32_t>(nodes_[group].size()); }
  const Lacks& lacks_of(uint32_t group) const { return lacks_[group]; }

  // Nodes in group order, then host order; ranks of each group in the spec's order.
  Plan take() {
    Plan plan;
    for (uint32_t group = 0; group < nodes_.size(); ++group) {
      std::sort(nodes_[group].begin(), nodes_[group].end());
      add_group(plan, group);
    }
    number_worlds(base_, plan);
    return plan;
  }

 private:
  // The host is not tried again for this group, because its free capacity never grows.
  bool refuse(uint32_t group, size_t host, const std::string& why) {
    refused_[group].insert(host);
    lacks_[group][why].push_back(hosts_[host].name);
    return false;
  }

  bool place_on(uint32_t group, size_t host) {
    const std::string& label = base_.groups[group].label;
    if (!label.empty() && hosts_[host].label != label)
      return refuse(group, host,
                    hosts_[host].label.empty() ? "it has no label; the job asks for " + label
                                               : "its label is " + hosts_[host].label + ", not " + label);
    std::vector<uint32_t> groups = host_groups_[host].groups;
    groups.insert(std::upper_bound(groups.begin(), groups.end(), group), group);
    Result<Plan> plan = deal_host(base_, groups, hosts_[host], rooms_.empty() ? nullptr : &rooms_[host]);
    if (!plan.ok()) return refuse(group, host, plan.status().message());
    host_groups_[host] = {std::move(groups), std::move(*plan)};
    nodes_[group].push_back(host);
    return true;
  }

  struct Place {
    size_t host = 0;
    uint32_t group_node = 0;
    uint32_t local = 0;
  };

  const PlannedNode& dealt_node(uint32_t group, size_t host) const {
    const std::vector<uint32_t>& there = host_groups_[host].groups;
    return host_groups_[host].plan.nodes[std::find(there.begin(), there.end(), group) - there.begin()];
  }

  std::vector<Place> places_of(uint32_t group) const {
    std::vector<Place> places;
    for (uint32_t node = 0; node < nodes_[group].size(); ++node) {
      const size_t host = nodes_[group][node];
      const size_t ranks = dealt_node(group, host).ranks.size();
      for (uint32_t local = 0; local < ranks; ++local) places.push_back({host, node, local});
    }
    if (base_.placement == Placement::cyclic) {
      std::stable_sort(places.begin(), places.end(), [](const Place& a, const Place& b) { return a.local < b.local; });
    }
    return places;
  }

  void add_group(Plan& plan, uint32_t group) const {
    const auto first = static_cast<NodeIndex>(plan.nodes.size());
    for (const size_t host : nodes_[group]) {
      plan.nodes.push_back({static_cast<NodeIndex>(plan.nodes.size()), group, hosts_[host].name, {}});
    }
    const std::vector<Place> places = places_of(group);
    for (uint32_t number = 0; number < places.size(); ++number) {
      const Place& place = places[number];
      PlannedNode& node = plan.nodes[first + place.group_node];
      PlannedRank rank = host_groups_[place.host].plan.ranks[dealt_node(group, place.host).ranks[place.local]];
      rank.group = group;
      rank.rank = number;
      rank.world_size = static_cast<uint32_t>(places.size());
      rank.node = node.node;
      rank.group_node = place.group_node;
      rank.group_nodes = static_cast<uint32_t>(nodes_[group].size());
      node.ranks.push_back(static_cast<uint32_t>(plan.ranks.size()));
      plan.ranks.push_back(std::move(rank));
    }
  }

  JobSpec base_;
  std::vector<JobHost> hosts_;
  const std::vector<HostRoom>& rooms_;
  std::vector<size_t> order_;  // of hosts, the greatest weight first
  std::vector<HostGroups> host_groups_;
  std::vector<std::vector<size_t>> nodes_;  // of each group: its hosts
  std::vector<Lacks> lacks_;
  std::vector<std::set<size_t>> refused_;
  std::vector<size_t> next_empty_;
};

std::string lacks_text(const Lacks& lacks) {
  std::vector<std::string> texts;
  for (const auto& [reason, hosts] : lacks) texts.push_back(short_list(hosts, kMostNamed) + ": " + reason);
  return short_list(texts, kMostNamed);
}

// The advice must follow the last semicolon: in_typed_words depends on it.
Status too_few_nodes(const JobSpec& spec, uint32_t group, const NodePlacer& placer, size_t hosts) {
  const GroupSpec& wanted = spec.groups[group];
  const std::string whose = spec.groups.size() > 1 ? "group " + wanted.name : "the job";
  const std::string needs = whose + " needs " + count_of(wanted.min_nodes, "node");
  if (placer.lacks_of(group).empty()) {
    return Status(Code::resource_exhausted, needs + " on different hosts, but there " +
                                                (hosts == 1 ? "is 1 host" : "are " + humane_count(hosts) + " hosts") +
                                                "; lower nodes, or name more hosts");
  }
  return Status(Code::resource_exhausted, needs + ", but " + humane_count(placer.nodes_of(group)) + " of " +
                                              count_of(hosts, "host") +
                                              " can hold one: " + lacks_text(placer.lacks_of(group)));
}

// The group that has the fewest nodes above its minimum, of those that can grow.
std::optional<uint32_t> next_to_grow(const JobSpec& spec, const NodePlacer& placer, const std::set<uint32_t>& full) {
  std::optional<uint32_t> best;
  const auto beyond = [&](uint32_t group) { return placer.nodes_of(group) - spec.groups[group].min_nodes; };
  for (uint32_t group = 0; group < spec.groups.size(); ++group) {
    if (full.count(group) > 0 || placer.nodes_of(group) >= spec.groups[group].max_nodes) continue;
    if (!best || beyond(group) < beyond(*best)) best = group;
  }
  return best;
}

// Groups with a label come first, because the others can use any host.
std::vector<uint32_t> labelled_first(const JobSpec& spec) {
  std::vector<uint32_t> groups;
  for (const bool labelled : {true, false}) {
    for (uint32_t group = 0; group < spec.groups.size(); ++group) {
      if (spec.groups[group].label.empty() != labelled) groups.push_back(group);
    }
  }
  return groups;
}

}  // namespace

Result<Plan> plan_on_hosts(const JobSpec& spec, const std::vector<JobHost>& hosts, const std::vector<HostRoom>& rooms) {
  if (spec.groups.empty()) return Status(Code::invalid_argument, "the job has no group of workers");
  if (hosts.empty()) return Status(Code::invalid_argument, "the job has no hosts");
  NodePlacer placer(spec, hosts, rooms);
  for (const uint32_t group : labelled_first(spec)) {
    while (placer.nodes_of(group) < spec.groups[group].min_nodes) {
      if (!placer.add_node(group)) return too_few_nodes(spec, group, placer, hosts.size());
    }
  }
  std::set<uint32_t> full;
  while (const auto group = next_to_grow(spec, placer, full)) {
    if (!placer.add_node(*group)) full.insert(*group);
  }
  return placer.take();
}

std::vector<std::string> remarks_on_hosts(const Plan& plan, const std::vector<JobHost>& hosts) {
  std::map<std::string, size_t> ranks;
  for (const PlannedNode& node : plan.nodes) ranks[node.host] += node.ranks.size();
  std::map<size_t, std::vector<std::string>, std::greater<>> by_count;
  std::vector<std::string> idle;
  for (const JobHost& host : hosts) {
    const auto found = ranks.find(host.name);
    found == ranks.end() ? idle.push_back(host.name) : by_count[found->second].push_back(host.name);
  }
  std::vector<std::string> remarks;
  if (by_count.size() > 1) {
    std::vector<std::string> texts;
    for (const auto& [count, names] : by_count)
      texts.push_back(count_of(count, "rank") + " on " + short_list(names, kMostNamed));
    remarks.push_back("hosts have different numbers of ranks: " + join(texts, "; "));
  }
  if (!idle.empty())
    remarks.push_back("hosts without a rank: " + short_list(idle, kMostNamed) + " (more nodes or workers would use " +
                      (idle.size() == 1 ? "it" : "them") + ")");
  return remarks;
}

}  // namespace muster
