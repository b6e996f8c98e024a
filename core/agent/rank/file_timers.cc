#include "core/agent/rank/file_timers.h"

namespace muster {
namespace {

constexpr const char* kEnable = "TORCHELASTIC_ENABLE_FILE_TIMER";

std::string wished_place(const std::map<std::string, std::string>& environment, const std::string& workdir) {
  const auto typed = environment.find(FileTimers::kFile);
  if (typed == environment.end() || typed->second.empty()) return "";
  return typed->second.starts_with('/') ? typed->second : workdir + "/" + typed->second;
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
  const auto wished = environment.find(kEnable);
  if (wished == environment.end() || wished->second != "1") {
    ports_.pipe.close();
    return std::string();
  }
  return ports_.pipe.open(wished_place(environment, workdir),
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

// Who sets timers and ends without releasing them leaves them here.
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
