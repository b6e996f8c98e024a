// SPDX-License-Identifier: Apache-2.0
// CallerStreams: what ranks get of the streams of the command that submitted their job. Only for ranks on the machine of that command.
// A value.
#pragma once

#include <cstdint>
#include <optional>

namespace muster {

// A pseudo-terminal for the only rank of a job. It is not the controlling terminal of the rank, as with torchrun, and it passes the
// rank's output on unchanged.
struct CallerWindow {
  uint16_t rows = 0;  // of the command's terminal; 0: not known
  uint16_t columns = 0;
  bool keys = false;  // the command passes on what is typed; false: stdin is not the pseudo-terminal
  bool operator==(const CallerWindow&) const = default;
};

// A descriptor of the command, which becomes the stdin of ranks.
struct CallerInput {
  int64_t pid = 0;
  uint64_t start_ticks = 0;      // of the command (ProcessIdentity)
  uint32_t descriptor = 0;       // a pipe, a terminal or a regular file; for every rank a regular file
  std::optional<uint32_t> rank;  // the rank that reads it, by its index in the plan; absent: every rank reads a copy
  bool operator==(const CallerInput&) const = default;
};

struct CallerStreams {
  std::optional<CallerWindow> window;
  std::optional<CallerInput> input;
  bool operator==(const CallerStreams&) const = default;
};

}  // namespace muster
