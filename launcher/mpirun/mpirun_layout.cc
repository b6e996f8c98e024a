// SPDX-License-Identifier: Apache-2.0
#include "launcher/mpirun/mpirun_layout.h"

#include <algorithm>
#include <numeric>

#include "core/base/text.h"
#include "core/job/mpirun/mpirun_line.h"
#include "core/job/mpirun/mpirun_policy.h"

namespace muster {
namespace {

using Fill = MpirunPolicy::Fill;

constexpr uint64_t kMostOfJob = 100'000;

size_t index_of(std::vector<MpirunHost>& all, const MpirunHost& host) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const MpirunHost& h) { return h.name == host.name; });
  if (found != all.end()) return static_cast<size_t>(found - all.begin());
  all.push_back(host);
  return all.size() - 1;
}

// Assigns the ranks of the programs to hosts, one program after the other.
class Placer {
 public:
  Placer(const MpirunPolicy& policy, const MpirunPlaces& places, const MpirunFacts& facts)
      : policy_(policy),
        places_(places),
        facts_(facts) {
    if (places.hosts.empty()) {
      free_ = {slots_of_machine(facts.here)};
    }
    for (const MpirunHost& host : places.hosts) free_.push_back(host.slots.value_or(slots_of_machine(machine(host))));
    slots_ = free_;
  }

  const MpirunMachine& machine(const MpirunHost& host) const {
    const auto found = facts_.hosts.find(host.name);
    return found == facts_.hosts.end() ? facts_.here : found->second;
  }

  // The number of ranks on each host of the program, in the order of the hosts.
  Result<std::vector<std::pair<size_t, uint32_t>>> place(const MpirunApp& app, size_t number) {
    std::vector<size_t> hosts = number < places_.of_apps.size() ? places_.of_apps[number] : std::vector<size_t>();
    if (hosts.empty()) {
      hosts.resize(free_.size());
      std::iota(hosts.begin(), hosts.end(), size_t{0});
    }
    const uint64_t slots = std::accumulate(hosts.begin(), hosts.end(), uint64_t{0},
                                           [&](uint64_t sum, size_t host) { return sum + slots_[host]; });
    const bool counted = app.ranks.value_or(0) > 0;
    uint64_t wanted = counted ? *app.ranks : slots;
    std::vector<uint64_t> limits;  // on each host
    for (const size_t host : hosts) limits.push_back(policy_.fill == Fill::per_object ? per_host(host) : kMostOfJob);
    const uint64_t most = std::accumulate(limits.begin(), limits.end(), uint64_t{0});
    if (policy_.fill == Fill::per_object && !counted) wanted = most;
    if (wanted > most)
      return Status(Code::resource_exhausted, count_of(wanted, "rank") + " do not fit: the policy allows " +
                                                  std::to_string(most) + " on " + count_of(hosts.size(), "host") +
                                                  "; lower -np, or name more hosts");
    if (const Status status = check(wanted, hosts, app); !status.ok()) return status;
    std::vector<uint32_t> counts =
        policy_.fill == Fill::by_node ? in_turn(wanted, hosts) : filled(wanted, hosts, limits);
    std::vector<std::pair<size_t, uint32_t>> placed;
    for (size_t i = 0; i < hosts.size(); ++i) {
      free_[hosts[i]] -= std::min(free_[hosts[i]], counts[i]);
      if (counts[i] > 0) placed.emplace_back(hosts[i], counts[i]);
    }
    return placed;
  }

 private:
  uint32_t slots_of_machine(const MpirunMachine& machine) const {
    return std::max(1u, policy_.hardware_threads ? machine.threads : machine.cores);
  }

  uint64_t per_host(size_t host) const {
    const MpirunMachine& it = places_.hosts.empty() ? facts_.here : machine(places_.hosts[host]);
    uint64_t objects = 1;
    if (policy_.object == "socket") objects = it.sockets;
    if (policy_.object == "numa") objects = it.numa_nodes;
    if (policy_.object == "core") objects = it.cores;
    if (policy_.object == "hwthread") objects = it.threads;
    return policy_.per * std::max<uint64_t>(objects, 1);
  }

  Status check(uint64_t wanted, const std::vector<size_t>& hosts, const MpirunApp& app) const {
    total_ += wanted;
    if (total_ > kMostOfJob)
      return {Code::resource_exhausted,
              "the job has more than " + humane_count(kMostOfJob) + " ranks; lower the number of ranks"};
    const uint64_t free = std::accumulate(hosts.begin(), hosts.end(), uint64_t{0},
                                          [&](uint64_t sum, size_t host) { return sum + free_[host]; });
    if (wanted <= free || policy_.oversubscribe) return {};
    const std::string have = std::to_string(free) + (free == 1 ? " slot is" : " slots are") + " free";
    const std::string where = places_.hosts.empty()
                                  ? "this machine, which has " + count_of(slots_of_machine(facts_.here), "core")
                                  : count_of(hosts.size(), "host");
    return {Code::resource_exhausted,
            count_of(wanted, "rank") + " of " + escaped(app.command.front()) + (wanted == 1 ? " does" : " do") +
                " not fit: " + have + " on " + where +
                "; lower -np, add --oversubscribe, or give slots, as in -H localhost:" + std::to_string(wanted)};
  }

  // Fills each host up to its free slots. The other ranks are divided equally; the first hosts get one more.
  std::vector<uint32_t> filled(uint64_t wanted, const std::vector<size_t>& hosts,
                               const std::vector<uint64_t>& limits) const {
    std::vector<uint32_t> counts(hosts.size(), 0);
    for (size_t i = 0; i < hosts.size(); ++i) {
      const uint64_t most = policy_.fill == Fill::per_object ? limits[i] : free_[hosts[i]];
      counts[i] = static_cast<uint32_t>(std::min(wanted, most));
      wanted -= counts[i];
    }
    for (size_t i = 0; i < hosts.size() && wanted > 0; ++i) {
      const uint64_t left = hosts.size() - i;
      const uint64_t more = (wanted + left - 1) / left;
      counts[i] += static_cast<uint32_t>(more);
      wanted -= more;
    }
    return counts;
  }

  // One rank on each host in turn, as long as a host has a free slot; then regardless of slots.
  std::vector<uint32_t> in_turn(uint64_t wanted, const std::vector<size_t>& hosts) const {
    std::vector<uint32_t> counts(hosts.size(), 0);
    bool beyond = false;
    while (wanted > 0) {
      bool placed = false;
      for (size_t i = 0; i < hosts.size() && wanted > 0; ++i) {
        if (!beyond && counts[i] >= free_[hosts[i]]) continue;
        ++counts[i];
        --wanted;
        placed = true;
      }
      beyond = !placed;
    }
    return counts;
  }

  const MpirunPolicy& policy_;
  const MpirunPlaces& places_;
  const MpirunFacts& facts_;
  std::vector<uint32_t> free_;   // slots of each host that no program has taken
  std::vector<uint32_t> slots_;  // of each host
  mutable uint64_t total_ = 0;   // ranks of all programs
};

// If all hosts have the same number of ranks: one part. Otherwise one for each host, because a group has the same number on each host.
void add_parts(MpirunLayout& layout, size_t app, const std::vector<std::pair<size_t, uint32_t>>& placed, bool single) {
  const bool even =
      std::all_of(placed.begin(), placed.end(), [&](const auto& each) { return each.second == placed.front().second; });
  for (const auto& [host, ranks] : placed) {
    if (!single || !even || layout.parts.empty()) layout.parts.push_back({app, {}, ranks});
    layout.parts.back().hosts.push_back(host);
  }
}

// The CPUs of each rank on the machine with the fewest.
void bind(MpirunLayout& layout, const MpirunPolicy& policy, const MpirunPlaces& places, const Placer& placer,
          const MpirunFacts& facts) {
  if (!policy.note.empty()) layout.notes.push_back(policy.note);
  if (policy.cores == 0) return;
  const auto machine_at = [&](size_t host) {
    return places.hosts.empty() ? facts.here : placer.machine(places.hosts[host]);
  };
  std::map<size_t, uint64_t> ranks;  // by host
  for (const MpirunPart& part : layout.parts) {
    for (const size_t host : part.hosts) ranks[host] += part.ranks;
  }
  for (const auto& [host, count] : ranks) {
    const MpirunMachine machine = machine_at(host);
    const uint32_t per_core = std::max(1u, machine.threads / std::max(1u, machine.cores));
    const uint64_t each = uint64_t{policy.cores} * (policy.threads ? 1 : per_core);
    if (each * count <= machine.threads) {
      layout.cpus = std::max<uint32_t>(layout.cpus, static_cast<uint32_t>(each));
      continue;
    }
    layout.cpus = 0;
    if (policy.overload) return layout.notes.push_back("ranks are not bound: there are fewer CPUs than they need");
    const std::string name = places.hosts.empty() ? "this machine" : places.hosts[host].name;
    layout.problem = mpirun_problem("E1705", "",
                                    count_of(count, "rank") + " need " + count_of(each * count, "CPU") + " on " + name +
                                        ", which has " + std::to_string(machine.threads),
                                    "use --bind-to none, or fewer cores for each rank");
    return;
  }
}

}  // namespace

MpirunPlaces mpirun_places(const MpirunFlags& flags, const std::map<std::string, std::string>& files,
                           const std::vector<std::string>& own_names) {
  MpirunPlaces places;
  for (const MpirunApp& app : flags.apps) {
    std::vector<MpirunHost> listed;
    for (const std::string& file : app.hostfiles) {
      const auto text = files.find(file);
      if (text == files.end()) continue;
      places.problem = add_host_file(text->second, file, listed);
      if (places.problem) return places;
    }
    std::vector<MpirunHost> named;
    places.problem = add_host_words(app.hosts, named);
    if (places.problem) return places;
    for (const MpirunHost& host : named) {
      const bool known = listed.empty() || std::any_of(listed.begin(), listed.end(),
                                                       [&](const MpirunHost& each) { return each.name == host.name; });
      if (known) continue;
      places.problem = mpirun_problem("E1702", "-H", "the host " + host.name + " is not in the host file",
                                      "add it to the file, or leave one of the two out");
      return places;
    }
    std::vector<size_t> mine;
    for (const MpirunHost& host : named.empty() ? listed : named) mine.push_back(index_of(places.hosts, host));
    places.of_apps.push_back(std::move(mine));
  }
  if (places.hosts.empty()) return places;
  std::vector<MpirunHost> merged = places.hosts;
  if (!merge_own_names(merged, own_names)) {
    places.remote = true;
    return places;
  }
  places.hosts = std::move(merged);
  places.of_apps.clear();
  return places;
}

MpirunLayout mpirun_layout(const MpirunFlags& flags, const MpirunPlaces& places, const MpirunFacts& facts) {
  MpirunLayout layout;
  const auto policy = mpirun_policy(flags, facts.environment);
  if (!policy.ok()) {
    layout.problem = mpirun_problem(policy.status().code() == Code::unimplemented ? "E1703" : "E1702", policy.status());
    return layout;
  }
  Placer placer(*policy, places, facts);
  for (size_t app = 0; app < flags.apps.size(); ++app) {
    const auto placed = placer.place(flags.apps[app], app);
    if (!placed.ok()) {
      layout.problem = mpirun_problem("E1705", placed.status());
      return layout;
    }
    add_parts(layout, app, *placed, flags.apps.size() == 1);
  }
  const bool one_host = places.hosts.size() <= 1;
  layout.cyclic = policy->cyclic && !one_host;
  if (layout.cyclic && layout.parts.size() > 1) {
    layout.problem = mpirun_problem("E1707", "--map-by",
                                    "ranks cannot be numbered over the hosts in turn here: hosts have different "
                                    "numbers of ranks, or there are several programs",
                                    "use a multiple of the number of hosts, or --rank-by slot");
    return layout;
  }
  bind(layout, *policy, places, placer, facts);
  return layout;
}

}  // namespace muster
