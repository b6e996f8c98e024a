// SPDX-License-Identifier: Apache-2.0
// TimeIndex: records when the bytes of a rank's output were written, for `logs --since`, and for times of lines whose order was not
// recorded (order_index.h). The file `<rank_file>.times` beside
// `<rank_file>.out` and `.err` has records of 24 bytes (UNIX nanoseconds, size of .out, size of .err; little endian), in order of
// time, about one per second while the files grow. Functions without state; loop thread only.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/time.h"
#include "core/port/output_files.h"

namespace muster {

struct OutputSizes {
  TimePoint time;
  uint64_t out = 0;
  uint64_t err = 0;
  bool operator==(const OutputSizes&) const = default;
};

inline uint64_t size_of(const OutputSizes& sizes, OutputStream stream) {
  return stream == OutputStream::err ? sizes.err : sizes.out;
}

// The index file for a path that ends in .out or .err.
std::string times_path(const std::string& output_path);

constexpr size_t kSizesBytes = 24;

// One record.
std::string encode_sizes(const OutputSizes& sizes);

// The whole records in `bytes`.
std::vector<OutputSizes> decode_sizes(std::string_view bytes);

// The last record at or before `time`; zeros if there is no such record or no file. So the bytes after these sizes include all that
// were written after `time`, and possibly those of 1 s before it.
OutputSizes sizes_at(OutputFiles& files, const std::string& times, TimePoint time);

// The first record with more than `offset` bytes of `stream`: the byte at `offset` was written at most 1 s before its time. Zeros if
// there is none.
OutputSizes sizes_beyond(OutputFiles& files, const std::string& times, OutputStream stream, uint64_t offset);

}  // namespace muster
