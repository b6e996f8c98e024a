// SPDX-License-Identifier: Apache-2.0
#include "core/system/hwloc/cpu_topology.h"

#include <errno.h>
#include <hwloc.h>
#include <sched.h>
#include <stdlib.h>

#include <algorithm>
#include <memory>
#include <set>

namespace muster {
namespace {

using Topology = std::unique_ptr<hwloc_topology, void (*)(hwloc_topology_t)>;

// Disables plugins by a folder that does not exist. hwloc would load all plugins it finds; Debian's (OpenCL, X11) load
// many libraries and may hang, and they need the shared hwloc, which a static binary must not load.
void forbid_plugins() { setenv("HWLOC_PLUGINS_PATH", "/nonexistent", 1); }

Topology new_topology() {
  forbid_plugins();
  hwloc_topology_t topology = nullptr;
  if (hwloc_topology_init(&topology) != 0) return Topology(nullptr, hwloc_topology_destroy);
  // The component x86 would bind this thread to each CPU in turn; the component linux gives the same information.
  hwloc_topology_set_components(topology, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
  return Topology(topology, hwloc_topology_destroy);
}

// CPU numbers in hwloc's logical order, which is the order of the topology tree.
std::vector<uint32_t> load_cpus(const Topology& topology) {
  std::vector<uint32_t> cpus;
  if (!topology || hwloc_topology_load(topology.get()) != 0) return cpus;
  hwloc_obj_t unit = nullptr;
  while ((unit = hwloc_get_next_obj_by_type(topology.get(), HWLOC_OBJ_PU, unit)) != nullptr) {
    cpus.push_back(unit->os_index);
  }
  return cpus;
}

uint32_t lowest_in(hwloc_obj_t object) {
  const int first = object == nullptr ? -1 : hwloc_bitmap_first(object->complete_cpuset);
  return first < 0 ? 0 : static_cast<uint32_t>(first);
}

// The outermost cache above `unit`; the core itself if hwloc knows no cache.
hwloc_obj_t last_cache_above(hwloc_obj_t unit, hwloc_obj_t core) {
  hwloc_obj_t cache = core;
  for (hwloc_obj_t each = unit->parent; each != nullptr; each = each->parent) {
    if (hwloc_obj_type_is_dcache(each->type)) cache = each;
  }
  return cache;
}

CpuPlace place_of(hwloc_topology_t topology, hwloc_obj_t unit) {
  const hwloc_obj_t found = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_CORE, unit);
  const hwloc_obj_t core = found == nullptr ? unit : found;
  const hwloc_obj_t package = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_PACKAGE, unit);
  CpuPlace place;
  place.cpu = unit->os_index;
  place.numa_node = hwloc_bitmap_first(unit->nodeset);
  place.package = package == nullptr ? -1 : static_cast<int>(package->os_index);
  place.core = lowest_in(core);
  place.cache = lowest_in(last_cache_above(unit, core));
  return place;
}

std::vector<CpuPlace> load_places(const Topology& topology) {
  std::vector<CpuPlace> places;
  if (!topology || hwloc_topology_load(topology.get()) != 0) return places;
  hwloc_obj_t unit = nullptr;
  while ((unit = hwloc_get_next_obj_by_type(topology.get(), HWLOC_OBJ_PU, unit)) != nullptr) {
    places.push_back(place_of(topology.get(), unit));
  }
  return places;
}

std::vector<uint32_t> numbers_of(const std::vector<cpu_set_t>& mask) {
  const size_t size = mask.size() * sizeof(cpu_set_t);
  std::vector<uint32_t> cpus;
  for (size_t cpu = 0; cpu < size * 8; ++cpu) {
    if (CPU_ISSET_S(cpu, size, mask.data())) cpus.push_back(static_cast<uint32_t>(cpu));
  }
  return cpus;
}

}  // namespace

std::vector<uint32_t> affinity_cpus() {
  constexpr size_t kMostSets = 64;  // 65536 CPUs
  for (size_t sets = 1; sets <= kMostSets; sets *= 2) {
    std::vector<cpu_set_t> mask(sets);
    if (sched_getaffinity(0, sets * sizeof(cpu_set_t), mask.data()) == 0) return numbers_of(mask);
    if (errno != EINVAL) break;
  }
  return {};
}

std::vector<uint32_t> cpus_in_topology_order() {
  const std::vector<uint32_t> ours = affinity_cpus();
  std::set<uint32_t> left(ours.begin(), ours.end());
  std::vector<uint32_t> ordered;
  for (const uint32_t cpu : load_cpus(new_topology())) {
    if (left.erase(cpu) > 0) ordered.push_back(cpu);
  }
  ordered.insert(ordered.end(), left.begin(), left.end());
  return ordered;
}

std::vector<CpuPlace> cpu_places() {
  const std::vector<uint32_t> ours = affinity_cpus();
  std::vector<CpuPlace> places = load_places(new_topology());
  std::erase_if(places,
                [&](const CpuPlace& place) { return !std::binary_search(ours.begin(), ours.end(), place.cpu); });
  return places;
}

std::vector<CpuPlace> places_of_synthetic(const std::string& description) {
  const Topology topology = new_topology();
  if (!topology || hwloc_topology_set_synthetic(topology.get(), description.c_str()) != 0) return {};
  return load_places(topology);
}

std::vector<uint32_t> cpus_of_synthetic(const std::string& description) {
  const Topology topology = new_topology();
  if (!topology || hwloc_topology_set_synthetic(topology.get(), description.c_str()) != 0) return {};
  return load_cpus(topology);
}

}  // namespace muster
