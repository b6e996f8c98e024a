// SPDX-License-Identifier: Apache-2.0
// IdleAgent: an agent whose job has ended and that waits for the next job. A value.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/time.h"

namespace muster {

struct IdleAgent {
  int64_t pid = 0;
  std::string warm;  // the program whose imports it keeps warm, "train.py"; empty: none
  TimePoint since;
  uint64_t memory_bytes = 0;  // of a warm agent; 0: not measured
  bool operator==(const IdleAgent&) const = default;
};

}  // namespace muster
