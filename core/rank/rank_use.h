// What a rank, with all it started, takes of its machine right now. A value.
#pragma once

#include <cstdint>

namespace muster {

struct RankUse {
  uint64_t cpu_permille = 0;  // of one CPU: 2000 are two whole ones
  uint64_t memory_bytes = 0;  // resident; what processes share counts in each
  bool operator==(const RankUse&) const = default;
};

}  // namespace muster
