// SPDX-License-Identifier: Apache-2.0
// The CPUs that this process may run on, in the order of the machine's topology (hwloc). Not GPUs, not memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/job/plan/plan.h"

namespace muster {

// Kernel numbers of the CPUs in this process's affinity mask. CPUs of one core, cache, NUMA node and package are adjacent.
// If hwloc cannot read the machine, in the order of the mask. Takes milliseconds. Any thread, one at a time. The first
// call sets HWLOC_PLUGINS_PATH, so call it before starting threads that read the environment.
std::vector<uint32_t> cpus_in_topology_order();

// For tests: the same for a machine in hwloc's synthetic format ("pack:2 core:2 pu:2"). Empty: not a valid description.
std::vector<uint32_t> cpus_of_synthetic(const std::string& description);

// The position of each of those CPUs in the topology. CPUs that hwloc does not know are left out. Takes milliseconds.
std::vector<CpuPlace> cpu_places();

// For tests: the positions of all CPUs of a synthetic machine.
std::vector<CpuPlace> places_of_synthetic(const std::string& description);

// The CPUs in this process's affinity mask, sorted (sched_getaffinity(2)).
std::vector<uint32_t> affinity_cpus();

}  // namespace muster
