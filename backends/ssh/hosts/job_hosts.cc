// SPDX-License-Identifier: Apache-2.0
#include "backends/ssh/hosts/job_hosts.h"

#include <algorithm>
#include <map>

#include "backends/ssh/hosts/peer_address.h"

namespace muster {
namespace {

Status check_distinct(const std::vector<HostReport>& reports) {
  std::map<std::string, std::string> names;
  for (const HostReport& report : reports) {
    const auto [first, is_new] = names.insert({report.facts->machine, report.host.name});
    if (is_new || report.facts->machine.empty()) continue;
    return Status(Code::invalid_argument, first->second + " and " + report.host.name + " are the same machine (" +
                                              report.facts->host +
                                              "); name it once, and set its slots to the number of ranks");
  }
  return Status();
}

// Only jobs that bind ranks to CPUs need the list of CPUs, which is the largest part of a host's facts.
bool binds(const JobSpec& spec) {
  return spec.torch.numa_binding != NumaBinding::none ||
         std::any_of(spec.groups.begin(), spec.groups.end(),
                     [](const GroupSpec& group) { return group.worker.cpus > 0; });
}

Inventory inventory_of(const HostFacts& facts, bool with_cpus) {
  Inventory machine;
  machine.host = facts.host;
  if (facts.memory_bytes > 0) machine.memory_bytes = facts.memory_bytes;
  machine.gpus = facts.gpus;
  if (!with_cpus) return machine;
  machine.cpus = facts.cpu_order;
  machine.places = facts.places;
  return machine;
}

}  // namespace

Result<std::vector<JobHost>> job_hosts(const JobSpec& spec, const std::vector<HostReport>& reports) {
  if (const Status distinct = check_distinct(reports); !distinct.ok()) return distinct;
  const Result<std::vector<std::string>> addresses = peer_addresses(spec.hosts, reports);
  if (!addresses.ok()) return addresses.status();
  std::vector<JobHost> hosts;
  for (size_t i = 0; i < reports.size(); ++i) {
    const HostFacts& facts = *reports[i].facts;
    hosts.push_back({spec.hosts[i].name, (*addresses)[i], facts.loopback.empty() ? "127.0.0.1" : facts.loopback,
                     spec.hosts[i].slots, inventory_of(facts, binds(spec)), facts.machine, facts.holders,
                     spec.hosts[i].label, spec.hosts[i].weight});
  }
  return hosts;
}

std::vector<ListedHost> listed_hosts(const JobSpec& spec) {
  std::vector<ListedHost> hosts;
  for (const HostSpec& host : spec.hosts)
    hosts.push_back(
        {host.name, host.slots > 0 ? std::optional(host.slots) : std::nullopt, {}, host.label, host.weight});
  return hosts;
}

}  // namespace muster
