// SPDX-License-Identifier: Apache-2.0
// Applies CUDA_VISIBLE_DEVICES to the GPUs of a machine. Pure; any thread.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/job/plan/plan.h"

namespace muster {

// Follows the CUDA runtime ("CUDA Environment Variables" in the CUDA C++ Programming Guide): indices or prefixes of
// UUIDs, separated by commas; the result has their order. The first entry that matches no GPU ends the list. Unset: all
// GPUs. Indices are those of NVML, as with CUDA_DEVICE_ORDER=PCI_BUS_ID. Parts of a GPU (MIG) are not supported and
// match none.
std::vector<Gpu> visible_gpus(const std::vector<Gpu>& gpus, const std::optional<std::string>& cuda_visible_devices);

// The value of the variable for visible_gpus(). An empty value differs from an unset variable.
std::optional<std::string> cuda_visible_devices(const std::map<std::string, std::string>& environment);

}  // namespace muster
