// SPDX-License-Identifier: Apache-2.0
#include "core/agent/rank/file_timers.h"

namespace muster {
namespace {

constexpr const char* kEnable = "TORCHELASTIC_ENABLE_FILE_TIMER";

std::string requested_path(const std::map<std::string, std::string>& environment, const std::string& workdir) {
  const auto requested = environment.find(FileTimers::kFile);
  if (requested == environment.end() || requested->second.empty()) return "";
  return requested->second.starts_with('/') ? requested->second : workdir + "/" + requested->second;
}

}  // namespace

FileTimers::~FileTimers() {
  ports_.loop.cancel(timer_);
  ports_.pipe.close();
}

Result<std::string> FileTimers::begin(const std::map<std::string, std::string>& environment,
                                      const std::string& workdir) {
  ports_.loop.cancel(timer_);
  timers_.clear();
  const auto enabled = environment.find(kEnable);
  if (enabled == environment.end() || enabled->second != "1") {
    ports_.pipe.close();
    return std::string();
  }
  return ports_.pipe.open(requested_path(environment, workdir),
                          [this](std::string_view line, int64_t wall_nanos) { heard(line, wall_nanos); });
}

void FileTimers::heard(std::string_view line, int64_t wall_nanos) {
  const auto timer = parse_timer_line(line);
  if (!timer) return;
  if (!timers_.take(*timer, ports_.loop.now(), wall_nanos)) {
    forget_ended();
    timers_.take(*timer, ports_.loop.now(), wall_nanos);
  }
  arm();
}

// A process may end without releasing its timers.
void FileTimers::forget_ended() {
  for (const int64_t pid : timers_.processes()) {
    if (ports_.pipe.session_of(pid) == 0) timers_.forget(pid);
  }
}

void FileTimers::arm() {
  ports_.loop.cancel(timer_);
  const auto next = timers_.next();
  timer_ = next ? ports_.loop.at(*next, [this] { fired(); }) : 0;
}

void FileTimers::fired() {
  for (const ExpiredTimer& timer : timers_.expired(ports_.loop.now())) on_expired_(timer);
  arm();
}

}  // namespace muster
