// What CUDA_VISIBLE_DEVICES leaves of a machine's GPUs. Pure; any thread.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/job/plan/plan.h"

namespace muster {

// As the CUDA runtime reads it ("CUDA Environment Variables" in the CUDA C++ Programming Guide): indices or
// beginnings of UUIDs, separated by commas, in that order; what follows the first that fits no GPU is invisible.
// Unset: all. Indices are NVML's, as with CUDA_DEVICE_ORDER=PCI_BUS_ID. Parts of a GPU (MIG) are not told apart
// and fit none.
std::vector<Gpu> visible_gpus(const std::vector<Gpu>& gpus, const std::optional<std::string>& cuda_visible_devices);

// The variable, as visible_gpus takes it: set to nothing is not unset.
std::optional<std::string> cuda_visible_devices(const std::map<std::string, std::string>& environment);

}  // namespace muster
