// Log: where muster's own remarks go (its log file), for people who debug muster. Not the user's messages
// and not a job's journal. Implementations may be called from any thread and never block on the disk.
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

// Forgets everything: for tests and for commands that have no log file.
class NullLog final : public Log {
 public:
  void write(LogLevel, std::string_view) override {}
};

}  // namespace muster
