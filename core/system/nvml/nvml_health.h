// What NVML knows of the state of its GPUs beyond what a job needs of them: for people who look for trouble. Asks in a
// thread of its own, which may hang with a wedged driver. Any thread.
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
  std::optional<bool> persistent;  // absent, here and below: it does not tell
  std::optional<Sharing> sharing;
  std::optional<bool> divided;                // MIG is on
  std::optional<uint64_t> memory_errors;      // not corrected, since the driver was loaded
  std::optional<bool> remap_failed;           // a row of its memory is bad, and there is none to take its place
  std::optional<bool> remap_waits_for_reset;  // there is one, from the next reset on
  bool operator==(const GpuHealth&) const = default;
};

struct NvmlHealth {
  std::string driver;   // "550.54.15"; empty: it does not tell
  int cuda_driver = 0;  // the newest CUDA it serves, as 1000 × major + 10 × minor; 0: it does not tell
  std::vector<GpuHealth> gpus;
  bool operator==(const NvmlHealth&) const = default;
};

// None when the library is not there or usable, NVML does not begin, or `limit` passes before the answer.
std::optional<NvmlHealth> nvml_health(const std::string& library, Duration limit);

}  // namespace muster
