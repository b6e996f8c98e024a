// SPDX-License-Identifier: Apache-2.0
// SpdLog: muster's own log file FOLDER/NAME.log, written by a separate thread. It is rotated at 5 MiB; three older files
// are kept.
//
// The log may lose messages: if the disk is too slow, the oldest queued messages are dropped. A full disk or a folder that
// is not writable affects only the log.
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
  // Creates `folder` (0700) if it is missing. Messages below level `lowest` are not written.
  SpdLog(const std::string& folder, const std::string& name, LogLevel lowest = LogLevel::info);
  // Waits until all messages are in the file.
  ~SpdLog() override;
  SpdLog(const SpdLog&) = delete;
  SpdLog& operator=(const SpdLog&) = delete;

  // Any thread; never blocks on the disk. Warnings and errors are flushed at once, other messages within seconds.
  void write(LogLevel level, std::string_view message) override;

 private:
  std::shared_ptr<spdlog::details::thread_pool> pool_;
  std::shared_ptr<spdlog::logger> logger_;
};

}  // namespace muster
