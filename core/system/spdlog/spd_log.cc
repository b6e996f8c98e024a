// SPDX-License-Identifier: Apache-2.0
#include "core/system/spdlog/spd_log.h"

#include <spdlog/async.h>
#include <spdlog/async_logger.h>
#include <spdlog/sinks/null_sink.h>
#include <spdlog/sinks/rotating_file_sink.h>
#include <sys/stat.h>

#include <filesystem>

#include "core/base/private_file.h"

namespace muster {
namespace {

constexpr size_t kQueuedMessages = 2048;  // spdlog allocates the whole queue at once, 408 bytes per message
constexpr size_t kFileBytes = 5 * 1024 * 1024;
constexpr size_t kOlderFiles = 3;

spdlog::level::level_enum to_spdlog(LogLevel level) {
  switch (level) {
    case LogLevel::debug: return spdlog::level::debug;
    case LogLevel::info: return spdlog::level::info;
    case LogLevel::warning: return spdlog::level::warn;
    case LogLevel::error: return spdlog::level::err;
  }
  return spdlog::level::err;
}

void make_folder(const std::string& folder) {
  std::error_code ignored;
  std::filesystem::create_directories(std::filesystem::path(folder).parent_path(), ignored);
  ::mkdir(folder.c_str(), 0700);
}

spdlog::sink_ptr open_sink(const std::string& folder, const std::string& name) {
  try {
    make_folder(folder);
    spdlog::file_event_handlers private_files;
    private_files.before_open = [](const std::string& path) { make_private_file(path); };
    return std::make_shared<spdlog::sinks::rotating_file_sink_mt>(folder + "/" + name + ".log", kFileBytes, kOlderFiles,
                                                                  false, private_files);
  } catch (const std::exception&) {
    return std::make_shared<spdlog::sinks::null_sink_mt>();
  }
}

}  // namespace

SpdLog::SpdLog(const std::string& folder, const std::string& name, LogLevel lowest)
    : pool_(std::make_shared<spdlog::details::thread_pool>(kQueuedMessages, 1)) {
  logger_ = std::make_shared<spdlog::async_logger>(name, open_sink(folder, name), pool_,
                                                   spdlog::async_overflow_policy::overrun_oldest);
  // The default handler would print to the user's stderr.
  logger_->set_error_handler([](const std::string&) {});
  logger_->set_pattern("%Y-%m-%dT%H:%M:%S.%eZ %P %L %v", spdlog::pattern_time_type::utc);
  logger_->set_level(to_spdlog(lowest));
  logger_->flush_on(spdlog::level::warn);
}

SpdLog::~SpdLog() {
  logger_->flush();
  // The pool's destructor drains its queue and joins its thread; it must run before the sinks are destroyed.
  pool_.reset();
}

void SpdLog::write(LogLevel level, std::string_view message) {
  logger_->log(to_spdlog(level), spdlog::string_view_t(message.data(), message.size()));
}

}  // namespace muster
