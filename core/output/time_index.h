// SPDX-License-Identifier: Apache-2.0
// TimeIndex: records when the bytes of a rank's output were written, for `logs --since`. The file `<rank_file>.times` beside
// `<rank_file>.out` and `.err` has records of 24 bytes (UNIX nanoseconds, size of .out, size of .err; little endian), in order of
// time, about one per second while the files grow. Functions without state; loop thread only.
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

// The index file for a path that ends in .out or .err.
std::string times_path(const std::string& output_path);

// One record.
std::string encode_sizes(const OutputSizes& sizes);

// The last record at or before `time`; zeros if there is no such record or no file. So the bytes after these sizes include all that
// were written after `time`, and possibly those of 1 s before it.
OutputSizes sizes_at(OutputFiles& files, const std::string& times, TimePoint time);

}  // namespace muster
