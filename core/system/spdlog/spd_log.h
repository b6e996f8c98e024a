// SpdLog: muster's own log file, written by a thread of its own: FOLDER/NAME.log, rotated at 5 MiB, three older
// ones kept.
//
// Not where anything is kept that matters: when the disk cannot follow, the oldest waiting remarks are dropped; a
// full disk or a folder that cannot be written loses the log and nothing else.
#pragma once

#include <memory>
#include <string>

#include "core/base/log.h"

namespace spdlog {
class logger;
namespace details {
class thread_pool;
}
}  // namespace spdlog

namespace muster {

class SpdLog final : public Log {
 public:
  // Makes `folder` (0700) when it is missing. Remarks below `lowest` are not kept.
  SpdLog(const std::string& folder, const std::string& name, LogLevel lowest = LogLevel::info);
  // Waits until what was written is in the file.
  ~SpdLog() override;
  SpdLog(const SpdLog&) = delete;
  SpdLog& operator=(const SpdLog&) = delete;

  // Any thread; never blocks on the disk. Warnings and errors reach the file at once, the rest within seconds.
  void write(LogLevel level, std::string_view message) override;

 private:
  std::shared_ptr<spdlog::details::thread_pool> pool_;
  std::shared_ptr<spdlog::logger> logger_;
};

}  // namespace muster
