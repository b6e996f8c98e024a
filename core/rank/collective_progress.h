// How far a rank is in the collectives of a process group of its framework, as the framework's own recorder tells. A value.
#pragma once

#include <cstdint>
#include <string>

namespace muster {

struct CollectiveProgress {
  std::string group;      // "default_pg"
  std::string name;       // "all_reduce"
  std::string shape;      // of what it gives: "Float [4]"
  uint64_t sequence = 0;  // in its group, the same on every rank; 0: of none yet
  bool waits = false;     // in that one; false: it is past that one, and in none
  bool operator==(const CollectiveProgress&) const = default;
};

}  // namespace muster
