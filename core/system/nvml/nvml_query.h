// SPDX-License-Identifier: Apache-2.0
// One query of NVML: the GPUs, and the processes that compute on them. Loads the library, initializes it, asks, and shuts
// it down. Hangs if the driver does, so NvmlGpus calls it in a separate thread. No state; any thread.
#pragma once

#include <string>
#include <vector>

#include "core/job/plan/plan.h"

namespace muster {

// A process that computes on a GPU. Processes that also use it for graphics are left out.
struct GpuProcess {
  std::string gpu;  // UUID
  int64_t pid = 0;
  bool seen = false;  // it was in this process's /proc when NVML reported it
  bool operator==(const GpuProcess&) const = default;
};

struct NvmlAnswer {
  std::vector<Gpu> gpus;  // GPUs that answered, by index
  std::vector<GpuProcess> processes;
  std::vector<std::string> remarks;   // log messages: why there are no GPUs
  std::vector<std::string> troubles;  // warnings for the user, such as a lost GPU
};

// `sysfs`: folder from which NUMA nodes are read; "/sys" except in tests.
NvmlAnswer ask_nvml(const std::string& library, const std::string& sysfs);

}  // namespace muster
