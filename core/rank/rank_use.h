// SPDX-License-Identifier: Apache-2.0
// RankUse: current CPU and memory use of a rank and all processes that it started. A value.
#pragma once

#include <cstdint>

namespace muster {

struct RankUse {
  uint64_t cpu_permille = 0;  // 1000 is one CPU
  uint64_t memory_bytes = 0;  // resident; memory that processes share counts for each of them
  bool operator==(const RankUse&) const = default;
};

}  // namespace muster
