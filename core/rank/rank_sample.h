// What a look at a rank from outside its process saw. Values.
#pragma once

#include <cstdint>
#include <optional>

#include "core/base/time.h"

namespace muster {

// Of a rank with all it started. Each rises while work is done, but for processes that leave.
struct RankActivity {
  Duration cpu{0};
  uint64_t io_bytes = 0;      // read and written by any call
  uint64_t output_bytes = 0;  // in the files of its output
  uint64_t processes = 0;     // which there are: changes when one comes or goes
  uint64_t calls = 0;         // of libmuster
  uint64_t memory_bytes = 0;  // resident, now
  bool operator==(const RankActivity&) const = default;
};

struct RankSample {
  char state = '?';                  // of the process that the others of the rank wait for, as in ps; ?: it is gone
  uint64_t runs = 0;                 // how often that one was given a CPU; with states T and D only
  std::optional<RankActivity> life;  // of a thorough look
  bool operator==(const RankSample&) const = default;
};

}  // namespace muster
