// TimeIndex: which bytes of a rank's output were written when, for `logs --since`. Beside `<rank_file>.out` and
// `.err` lies
// `<rank_file>.times`: records of 24 bytes (UNIX nanoseconds, size of .out, size of .err; little endian), in time
// order, about one a second while the files grow. Functions without state; loop thread only.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/time.h"
#include "core/port/output_files.h"

namespace muster {

struct OutputSizes {
  TimePoint time;
  uint64_t out = 0;
  uint64_t err = 0;
  bool operator==(const OutputSizes&) const = default;
};

// Of a path that ends in .out or .err.
std::string times_path(const std::string& output_path);

// One record.
std::string encode_sizes(const OutputSizes& sizes);

// The last record at or before `time`. No such record, or no file: zeros. So what lies behind the sizes holds
// everything written after `time`, and perhaps a second more.
OutputSizes sizes_at(OutputFiles& files, const std::string& times, TimePoint time);

}  // namespace muster
