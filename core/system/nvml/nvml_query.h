// One question to NVML: which GPUs are there, and who computes on them. Loads the library, asks, and shuts it down. May hang with a wedged
// driver, so NvmlGpus calls it in a thread of its own. No state; any thread.
#pragma once

#include <string>
#include <vector>

#include "core/job/plan/plan.h"

namespace muster {

// It computes there; who only draws is left out.
struct GpuProcess {
  std::string gpu;  // UUID
  int64_t pid = 0;
  bool seen = false;  // it was in our /proc when NVML told of it
  bool operator==(const GpuProcess&) const = default;
};

struct NvmlAnswer {
  std::vector<Gpu> gpus;  // by index, those that answered
  std::vector<GpuProcess> processes;
  std::vector<std::string> remarks;   // for the log: why there are none
  std::vector<std::string> troubles;  // what a person should know: which one is lost
};

// `sysfs` is where NUMA nodes are read: "/sys", but for tests.
NvmlAnswer ask_nvml(const std::string& library, const std::string& sysfs);

}  // namespace muster
