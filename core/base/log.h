// SPDX-License-Identifier: Apache-2.0
// Log: muster's own log file, for people who debug muster. It does not get messages for users or journals of jobs.
// Implementations can be called from any thread and never block on the disk.
#pragma once

#include <string_view>

namespace muster {

enum class LogLevel { debug, info, warning, error };

class Log {
 public:
  virtual ~Log() = default;
  virtual void write(LogLevel level, std::string_view message) = 0;

  void debug(std::string_view message) { write(LogLevel::debug, message); }
  void info(std::string_view message) { write(LogLevel::info, message); }
  void warning(std::string_view message) { write(LogLevel::warning, message); }
  void error(std::string_view message) { write(LogLevel::error, message); }
};

// Discards all messages, for tests and commands without a log file.
class NullLog final : public Log {
 public:
  void write(LogLevel, std::string_view) override {}
};

}  // namespace muster
