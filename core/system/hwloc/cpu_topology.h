// The CPUs this process may run on, neighbours together, as hwloc sees the machine. Not GPUs, not memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/job/plan/plan.h"

namespace muster {

// Kernel numbers of the CPUs of our affinity mask: those of one core, one cache, one NUMA node, one package follow
// each other. In the mask's own order when hwloc cannot read the machine. Takes milliseconds; any thread, one at a
// time, and sets HWLOC_PLUGINS_PATH the first time: before threads that read the environment start.
std::vector<uint32_t> cpus_in_topology_order();

// The same for a machine described in hwloc's synthetic format ("pack:2 core:2 pu:2"), for tests; empty when hwloc
// does not understand it.
std::vector<uint32_t> cpus_of_synthetic(const std::string& description);

// Where those CPUs sit; those that hwloc does not know are left out. As costly.
std::vector<CpuPlace> cpu_places();

// Of a synthetic machine, all.
std::vector<CpuPlace> places_of_synthetic(const std::string& description);

// The CPUs of our affinity mask by number (sched_getaffinity(2)).
std::vector<uint32_t> affinity_cpus();

}  // namespace muster
