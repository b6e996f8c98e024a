// SPDX-License-Identifier: Apache-2.0
// Binds ranks to CPUs near their GPUs, as torchrun --numa-binding does (torch/numa/binding.py, 2.15). Pure.
#pragma once

#include <vector>

#include "core/job/plan/plan.h"

namespace muster {

// The numbers of those `allowed` CPUs that are for GPU `gpu`. `gpu_nodes` has the NUMA node of each visible GPU; -1
// means node 0. invalid_argument: none of the CPUs of the node is allowed, or `how` is exclusive and the node has fewer
// cores than GPUs. The message names the node.
Result<std::vector<uint32_t>> cpus_beside(NumaBinding how, const std::vector<CpuPlace>& allowed,
                                          const std::vector<int>& gpu_nodes, size_t gpu);

// Sets PlannedRank::near. The GPU of a rank is its own; if it has none, the GPU whose index is its local rank, because
// programs use that one. invalid_argument: there is no such GPU, or cpus_beside() fails.
Status bind_beside_gpus(NumaBinding how, const Inventory& machine, Plan& plan);

}  // namespace muster
