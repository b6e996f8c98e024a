// SPDX-License-Identifier: Apache-2.0
#include "core/job/plan/host_room.h"

#include <algorithm>
#include <map>

#include "core/base/text.h"

namespace muster {
namespace {

constexpr size_t kMostNamedHolders = 8;

bool is_on(const Holder& holder, const JobHost& host) {
  return holder.host == host.name || (!holder.machine.empty() && holder.machine == host.identity);
}

std::vector<Holder> holders_on(const JobHost& host, const std::vector<Holder>& held) {
  std::vector<Holder> there;
  std::copy_if(held.begin(), held.end(), std::back_inserter(there),
               [&](const Holder& holder) { return is_on(holder, host); });
  return there;
}

const JobHost* find(const std::vector<JobHost>& hosts, const std::string& name) {
  const auto found = std::find_if(hosts.begin(), hosts.end(), [&](const JobHost& host) { return host.name == name; });
  return found == hosts.end() ? nullptr : &*found;
}

HostRoom room_on(const JobHost& host, const std::vector<Holder>& there) {
  HostRoom room{without(host.machine, there), 0};
  for (const Holder& holder : there) room.slots_taken += holder.claim.slots;
  return room;
}

// The needs of the plan on each host.
std::map<std::string, Needs> needs_by_host(const Plan& plan, const std::vector<JobHost>& hosts) {
  std::map<std::string, Needs> needs;
  for (const PlannedNode& node : plan.nodes) {
    Needs& here = needs[node.host];
    for (const uint32_t rank : node.ranks) add_to(here, plan.ranks[rank]);
    const JobHost* host = find(hosts, node.host);
    if (host != nullptr && host->slots > 0) here.slots += node.ranks.size();
  }
  return needs;
}

std::string slots_short(const Needs& needs, const JobHost& host, const std::vector<Holder>& there) {
  std::vector<std::string> parts;
  for (const Holder& holder : there) {
    if (holder.claim.slots > 0) parts.push_back(holder.who + " holds " + std::to_string(holder.claim.slots));
  }
  return count_of(needs.slots, "slot") + " on " + host.name + ": " + short_list(parts, kMostNamedHolders);
}

// Empty: the needs fit.
std::string short_on(const JobHost& host, const Needs& needs, const std::vector<Holder>& there) {
  const HostRoom room = room_on(host, there);
  if (!fits(needs, room.free)) return shortage(needs, host.machine, room.free, there, " on " + host.name);
  return host.slots > 0 && needs.slots + room.slots_taken > host.slots ? slots_short(needs, host, there) : "";
}

// The shortage on the first host, of the hosts that the plan would use if all were free, that lacks something.
std::string what_is_short(const Plan& whole, const std::vector<JobHost>& hosts, const std::vector<Holder>& held) {
  const std::map<std::string, Needs> needs = needs_by_host(whole, hosts);
  for (const JobHost& host : hosts) {
    const auto wanted = needs.find(host.name);
    if (wanted == needs.end()) continue;
    if (std::string what = short_on(host, wanted->second, holders_on(host, held)); !what.empty()) return what;
  }
  return "";
}

// Fixes MIN..MAX at the number of nodes on free hosts, so that the job does not start smaller because hosts are busy.
JobSpec with_nodes_of(JobSpec spec, const Plan& whole) {
  for (GroupSpec& group : spec.groups) group.max_nodes = 0;
  for (const PlannedNode& node : whole.nodes) ++spec.groups[node.group].max_nodes;
  for (GroupSpec& group : spec.groups) group.min_nodes = group.max_nodes;
  return spec;
}

}  // namespace

std::vector<Holder> holders_on_hosts(const std::string& who, const Plan& plan, const std::vector<JobHost>& hosts) {
  std::map<std::string, Holder> holders;
  for (const PlannedNode& node : plan.nodes) {
    const JobHost* host = find(hosts, node.host);
    Holder& holder = holders[node.host];
    holder = {who, std::move(holder.claim), false, "", node.host, host == nullptr ? "" : host->identity};
    for (const uint32_t rank : node.ranks) add_to(holder.claim, plan.ranks[rank]);
    if (host != nullptr && host->slots > 0) holder.claim.slots += node.ranks.size();
  }
  std::vector<Holder> list;
  for (auto& [name, holder] : holders) list.push_back(std::move(holder));
  return list;
}

Needs needs_on_hosts(const Plan& plan, const std::vector<JobHost>& hosts) {
  Needs sum;
  for (const auto& [host, needs] : needs_by_host(plan, hosts)) {
    sum.gpus += needs.gpus;
    sum.cpus += needs.cpus;
    sum.memory_bytes += needs.memory_bytes;
    sum.slots += needs.slots;
  }
  return sum;
}

Result<Plan> plan_beside(const JobSpec& spec, const std::vector<JobHost>& hosts, const std::vector<Holder>& held) {
  Result<Plan> whole = plan_on_hosts(spec, hosts);
  std::vector<HostRoom> rooms;
  bool free = true;
  for (const JobHost& host : hosts) {
    const std::vector<Holder> there = holders_on(host, held);
    free = free && there.empty();
    rooms.push_back(room_on(host, there));
  }
  if (!whole.ok() || free) return whole;
  Result<Plan> now = plan_on_hosts(with_nodes_of(spec, *whole), hosts, rooms);
  if (now.ok()) return now;
  const std::string what = what_is_short(*whole, hosts, held);
  return Status(Code::unavailable, what.empty() ? now.status().message() : what);
}

}  // namespace muster
