// SPDX-License-Identifier: Apache-2.0
#include "core/job/plan/numa_binding.h"

#include <algorithm>
#include <map>

#include "core/base/text.h"

namespace muster {
namespace {

using Places = std::vector<CpuPlace>;
using Numbers = std::vector<uint32_t>;

// A machine with one node often reports -1.
int node_of(int told) { return std::max(told, 0); }

template <typename Wanted>
Places only(const Places& places, Wanted wanted) {
  Places found;
  std::copy_if(places.begin(), places.end(), std::back_inserter(found), wanted);
  return found;
}

Numbers numbers_of(const Places& places) {
  Numbers cpus;
  for (const CpuPlace& place : places) cpus.push_back(place.cpu);
  std::sort(cpus.begin(), cpus.end());
  return cpus;
}

// Groups the places by the field `common`, in ascending order of its value.
std::map<uint32_t, Places> grouped(const Places& places, uint32_t CpuPlace::*common) {
  std::map<uint32_t, Places> groups;
  for (const CpuPlace& place : places) groups[place.*common].push_back(place);
  return groups;
}

// As torch does it: the package of a node is that of its first CPU. Returns the CPUs of all nodes of the package.
Places socket_of(const Places& allowed, int node) {
  std::map<int, CpuPlace> first;
  for (const CpuPlace& place : allowed) {
    const auto [known, is_new] = first.emplace(place.numa_node, place);
    if (!is_new && place.cpu < known->second.cpu) known->second = place;
  }
  const int package = first.at(node).package;
  return only(allowed, [&](const CpuPlace& place) { return first.at(place.numa_node).package == package; });
}

// Part number `part` (from 0) of the cores. If they do not divide evenly, the first parts are larger.
Places share_of_cores(const Places& node, size_t part, size_t parts) {
  const auto cores = grouped(node, &CpuPlace::core);
  const size_t each = cores.size() / parts, larger = cores.size() % parts;
  const size_t begin = part * each + std::min(part, larger), end = begin + each + (part < larger ? 1 : 0);
  Places share;
  size_t at = 0;
  for (const auto& [core, places] : cores) {
    if (at >= begin && at < end) share.insert(share.end(), places.begin(), places.end());
    ++at;
  }
  return share;
}

// The CPUs of one cache, the largest caches first. If there are more GPUs than caches, it starts again with the first.
Places complex_of(const Places& node, size_t part) {
  std::vector<Places> complexes;
  for (auto& [cache, places] : grouped(node, &CpuPlace::cache)) complexes.push_back(places);
  std::stable_sort(complexes.begin(), complexes.end(), [](auto& a, auto& b) { return a.size() > b.size(); });
  return complexes[part % complexes.size()];
}

Status refused(const std::string& why) {
  return Status(Code::invalid_argument, "cannot bind ranks to the CPUs near their GPUs: " + why);
}

size_t gpu_of(const PlannedRank& rank, const Inventory& machine) {
  if (rank.gpus.empty()) return rank.local_rank;
  const auto own = std::find(machine.gpus.begin(), machine.gpus.end(), rank.gpus.front());
  return static_cast<size_t>(own - machine.gpus.begin());
}

}  // namespace

Result<std::vector<uint32_t>> cpus_beside(NumaBinding how, const std::vector<CpuPlace>& allowed,
                                          const std::vector<int>& gpu_nodes, size_t gpu) {
  const int here = node_of(gpu_nodes.at(gpu));
  const std::string name = "NUMA node " + std::to_string(here);
  const Places node = only(allowed, [&](const CpuPlace& place) { return place.numa_node == here; });
  if (node.empty())
    return refused("GPU " + std::to_string(gpu) + " is on " + name + ", but no CPU of that node is allowed");
  const auto is_here = [&](int told) { return node_of(told) == here; };
  const auto neighbours = static_cast<size_t>(std::count_if(gpu_nodes.begin(), gpu_nodes.end(), is_here));
  const auto before = gpu_nodes.begin() + static_cast<ptrdiff_t>(gpu);
  const auto part = static_cast<size_t>(std::count_if(gpu_nodes.begin(), before, is_here));
  switch (how) {
    case NumaBinding::none: return Numbers{};
    case NumaBinding::node: return numbers_of(node);
    case NumaBinding::socket: return numbers_of(socket_of(allowed, here));
    case NumaBinding::core_complex: return numbers_of(complex_of(node, part));
    case NumaBinding::exclusive: break;
  }
  const size_t cores = grouped(node, &CpuPlace::core).size();
  if (cores < neighbours)
    return refused(name + " has " + count_of(cores, "core") + " for " + count_of(neighbours, "GPU") +
                   ", and `exclusive` needs a core for each");
  return numbers_of(share_of_cores(node, part, neighbours));
}

Status bind_beside_gpus(NumaBinding how, const Inventory& machine, Plan& plan) {
  if (how == NumaBinding::none) return {};
  std::vector<int> gpu_nodes;
  for (const Gpu& gpu : machine.gpus) gpu_nodes.push_back(gpu.numa_node);
  const auto usable = [&](const CpuPlace& place) {
    return std::find(machine.cpus.begin(), machine.cpus.end(), place.cpu) != machine.cpus.end();
  };
  const Places allowed = only(machine.places, usable);
  for (PlannedRank& rank : plan.ranks) {
    const size_t gpu = gpu_of(rank, machine);
    if (gpu >= gpu_nodes.size())
      return refused("local rank " + std::to_string(rank.local_rank) +
                     " has no GPU; visible: " + count_of(gpu_nodes.size(), "GPU"));
    auto cpus = cpus_beside(how, allowed, gpu_nodes, gpu);
    if (!cpus.ok()) return cpus.status();
    rank.near = std::move(*cpus);
  }
  return {};
}

}  // namespace muster
