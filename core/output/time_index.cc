// SPDX-License-Identifier: Apache-2.0
#include "core/output/time_index.h"

namespace muster {
namespace {

void put(std::string& bytes, uint64_t number) {
  for (int i = 0; i < 8; ++i) bytes += static_cast<char>(number >> (8 * i));
}

uint64_t get(std::string_view bytes, size_t at) {
  uint64_t number = 0;
  for (size_t i = 0; i < 8; ++i) number |= static_cast<uint64_t>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
  return number;
}

// Zeros if it cannot be read: such a record is never preferred to an earlier one.
OutputSizes record(OutputFiles& files, const std::string& times, uint64_t number) {
  const Result<std::string> bytes = files.read(times, number * kSizesBytes, kSizesBytes);
  const std::vector<OutputSizes> read = decode_sizes(bytes.ok() ? *bytes : "");
  return read.empty() ? OutputSizes() : read.front();
}

}  // namespace

std::string times_path(const std::string& output_path) {
  return output_path.substr(0, output_path.rfind('.')) + ".times";
}

std::string encode_sizes(const OutputSizes& sizes) {
  std::string bytes;
  put(bytes, static_cast<uint64_t>(to_unix_nanos(sizes.time)));
  put(bytes, sizes.out);
  put(bytes, sizes.err);
  return bytes;
}

std::vector<OutputSizes> decode_sizes(std::string_view bytes) {
  std::vector<OutputSizes> records;
  for (; bytes.size() >= kSizesBytes; bytes.remove_prefix(kSizesBytes))
    records.push_back({from_unix_nanos(static_cast<int64_t>(get(bytes, 0))), get(bytes, 8), get(bytes, 16)});
  return records;
}

OutputSizes sizes_at(OutputFiles& files, const std::string& times, TimePoint time) {
  OutputSizes best;
  uint64_t low = 0;
  uint64_t high = files.size(times) / kSizesBytes;
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    const OutputSizes probe = record(files, times, middle);
    if (probe.time > time) {
      high = middle;
    } else {
      best = probe;
      low = middle + 1;
    }
  }
  return best;
}

OutputSizes sizes_beyond(OutputFiles& files, const std::string& times, OutputStream stream, uint64_t offset) {
  OutputSizes best;
  uint64_t low = 0;
  uint64_t high = files.size(times) / kSizesBytes;
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    const OutputSizes probe = record(files, times, middle);
    if (size_of(probe, stream) <= offset) {
      low = middle + 1;
    } else {
      best = probe;
      high = middle;
    }
  }
  return best;
}

}  // namespace muster
