// SPDX-License-Identifier: Apache-2.0
// RankSample: the state of a rank, sampled from outside its process. Values.
#pragma once

#include <cstdint>
#include <optional>

#include "core/base/time.h"

namespace muster {

// Counters of a rank and all processes that it started. A counter rises while the rank works, and falls only if
// processes end.
struct RankActivity {
  Duration cpu{0};
  uint64_t io_bytes = 0;      // read and written by any system call
  uint64_t output_bytes = 0;  // bytes in its output files
  uint64_t processes = 0;     // number of processes
  uint64_t calls = 0;         // to libmuster
  uint64_t memory_bytes = 0;  // resident, now
  bool operator==(const RankActivity&) const = default;
};

struct RankSample {
  char state = '?';                  // of the process that the others of the rank wait for, as in ps; ?: it has ended
  uint64_t runs = 0;                 // how often that process got a CPU; only for states T and D
  std::optional<RankActivity> life;  // only in a complete sample
  bool operator==(const RankSample&) const = default;
};

}  // namespace muster
