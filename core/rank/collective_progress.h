// SPDX-License-Identifier: Apache-2.0
// CollectiveProgress: the latest collective of a rank in one process group, from the framework's flight recorder. A
// value.
#pragma once

#include <cstdint>
#include <string>

namespace muster {

struct CollectiveProgress {
  std::string group;      // "default_pg"
  std::string name;       // "all_reduce"
  std::string shape;      // of the rank's input: "Float [4]"
  uint64_t sequence = 0;  // number in its group, the same on every rank; 0: no collective yet
  bool waits = false;     // true: the rank is blocked in it; false: it has completed
  bool operator==(const CollectiveProgress&) const = default;
};

}  // namespace muster
