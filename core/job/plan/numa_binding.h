// Which CPUs a rank is bound to beside its GPU: the arithmetic of torchrun's --numa-binding (torch/numa/binding.py, 2.15).
// Pure.
#pragma once

#include <vector>

#include "core/job/plan/plan.h"

namespace muster {

// Of the CPUs `allowed`, by number, those for GPU `gpu`; `gpu_nodes` has the NUMA node of each visible GPU, -1 is node 0.
// invalid_argument, with the node and what it lacks: none of its CPUs is allowed; exclusive, and it has fewer cores than
// GPUs.
Result<std::vector<uint32_t>> cpus_beside(NumaBinding how, const std::vector<CpuPlace>& allowed,
                                          const std::vector<int>& gpu_nodes, size_t gpu);

// Fills PlannedRank::near. A rank's GPU is its own, else the one with its local rank's number, as programs take it.
// invalid_argument: it has none, or cpus_beside() says no.
Status bind_beside_gpus(NumaBinding how, const Inventory& machine, Plan& plan);

}  // namespace muster
