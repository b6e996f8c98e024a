// SPDX-License-Identifier: Apache-2.0
// The health of the GPUs according to NVML, for `muster doctor`; jobs do not need it. Calls NVML in a separate thread,
// which may hang if the driver does. Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/time.h"

namespace muster {

struct GpuHealth {
  enum class Sharing { many, none, one };  // compute mode: any process, prohibited, exclusive process
  uint32_t index = 0;
  std::string uuid;
  std::optional<bool> persistent;  // nullopt, here and below: unknown
  std::optional<Sharing> sharing;
  std::optional<bool> divided;                // MIG is on
  std::optional<uint64_t> memory_errors;      // uncorrected, since the driver was loaded
  std::optional<bool> remap_failed;           // a memory row is bad, and no spare row is left
  std::optional<bool> remap_waits_for_reset;  // a memory row will be replaced at the next reset
  bool operator==(const GpuHealth&) const = default;
};

struct NvmlHealth {
  std::string driver;   // "550.54.15"; empty: unknown
  int cuda_driver = 0;  // newest CUDA version that the driver supports: 1000 × major + 10 × minor; 0: unknown
  std::vector<GpuHealth> gpus;
  bool operator==(const NvmlHealth&) const = default;
};

// nullopt: the library is missing or not usable, NVML cannot be initialized, or there is no answer within `limit`.
std::optional<NvmlHealth> nvml_health(const std::string& library, Duration limit);

}  // namespace muster
