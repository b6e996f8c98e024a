// SPDX-License-Identifier: Apache-2.0
// Upload of output from a node whose files the coordinator cannot read. The agent sends the bytes of each file in order. The
// coordinator writes them into its own files and acknowledges them (docs/design/decisions/0019).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/ids.h"
#include "core/base/time.h"
#include "core/port/output_files.h"

namespace muster {

constexpr size_t kOutputWindow = 1 << 20;  // unacknowledged bytes of a node
constexpr size_t kOutputFrame = 64 << 10;  // maximum bytes of one message

// Report::trouble begins with this while output waits until it can be stored. Nothing is lost then.
constexpr std::string_view kOutputWaits = "waits for its output ";
// It begins with this if only the times beside the output could not be written. No output is lost then either.
constexpr std::string_view kTimesMissing = "logs --since shows too much: ";
// Sentences about output that logs.max dropped: this, the size, kOfOutput and the rank.
constexpr std::string_view kOutputDropped = "dropped the oldest ";
constexpr std::string_view kOfOutput = " of the output of ";
// The longest wait until the output files of an attempt or of a setup can be created.
constexpr Duration kOutputPatience = std::chrono::minutes(2);

struct OutputFile {
  Attempt attempt = 0;
  uint32_t index = 0;  // rank, into Plan::ranks
  OutputStream stream = OutputStream::out;
  auto operator<=>(const OutputFile&) const = default;
};

// Agent → coordinator, with low priority.
struct OutputBytes {
  OutputFile file;
  uint64_t offset = 0;
  uint64_t kept = 0;  // logs.max dropped the bytes before this offset
  std::string bytes;
  bool operator==(const OutputBytes&) const = default;
};

// Coordinator → agent: the acknowledgement. If one is lost with its link, the next one replaces it.
struct OutputTaken {
  OutputFile file;
  uint64_t size = 0;   // all bytes before this offset are written, except dropped ones
  bool again = false;  // bytes from this offset on are lost (for example on a full disk): send them again
  bool operator==(const OutputTaken&) const = default;
};

}  // namespace muster
