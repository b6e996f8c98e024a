// SPDX-License-Identifier: Apache-2.0
// RelayErrors: reads what `muster relay` prints to stderr, in pieces: whether its agent is stopped by a signal, and what it said last.
#pragma once

#include <charconv>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/port/host_link.h"

namespace muster {

inline bool is_about_stopped_agent(std::string_view line) { return line.starts_with(kRelaySaysStopped); }

class RelayErrors {
 public:
  // `stopped`: HostLinks::Handlers::stopped; may be empty.
  explicit RelayErrors(std::function<void(std::optional<int64_t> pid)> stopped) : stopped_(std::move(stopped)) {}

  void add(std::string_view bytes) {
    for (const char byte : bytes) {
      if (byte == '\n') {
        end_line();
      } else if (line_.size() < kLongestLine) {
        line_ += byte;
      }
    }
  }

  // The last line that is not about a stopped agent; may be empty.
  std::string last() const { return line_.empty() || is_about_stopped_agent(line_) ? last_ : line_; }

 private:
  static constexpr size_t kLongestLine = 4096;

  void end_line() {
    const std::string line = std::exchange(line_, "");
    if (!is_about_stopped_agent(line)) {
      if (!line.empty()) last_ = line;
      return;
    }
    int64_t pid = 0;
    std::from_chars(line.data() + kRelaySaysStopped.size(), line.data() + line.size(), pid);
    if (stopped_) stopped_(pid > 0 ? std::optional(pid) : std::nullopt);
  }

  const std::function<void(std::optional<int64_t>)> stopped_;
  std::string line_;  // that has begun
  std::string last_;
};

}  // namespace muster
