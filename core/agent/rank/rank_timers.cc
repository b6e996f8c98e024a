// SPDX-License-Identifier: Apache-2.0
#include "core/agent/rank/rank_timers.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "core/job/document/json_document.h"

namespace muster {
namespace {

constexpr int kLastSignal = 64;
constexpr double kNanos = 1e9;
// Later times are cut to this: half of the range of int64_t, so that a sum with another time does not overflow.
constexpr int64_t kNever = int64_t{1} << 62;

const YamlNode* field(const YamlNode& line, std::string_view name) {
  for (const YamlEntry& entry : line.entries) {
    if (entry.key == name) return entry.value.kind == YamlNode::Kind::scalar ? &entry.value : nullptr;
  }
  return nullptr;
}

template <typename T>
std::optional<T> number(const YamlNode* node) {
  T value{};
  if (node == nullptr || node->quoted) return std::nullopt;
  const char* end = node->text.data() + node->text.size();
  const auto read = std::from_chars(node->text.data(), end, value);
  return read.ec == std::errc() && read.ptr == end ? std::optional<T>(value) : std::nullopt;
}

std::optional<int64_t> nanos_of(double seconds) {
  if (seconds < 0) return std::nullopt;
  return seconds * kNanos < static_cast<double>(kNever) ? static_cast<int64_t>(seconds * kNanos) : kNever;
}

}  // namespace

std::optional<TimerLine> parse_timer_line(std::string_view line) {
  const YamlDocument document = load_json(line, "a timer");
  if (document.problem || document.root.kind != YamlNode::Kind::map) return std::nullopt;
  const auto pid = number<int64_t>(field(document.root, "pid"));
  const auto signal = number<int64_t>(field(document.root, "signal"));
  const auto seconds = number<double>(field(document.root, "expiration_time"));
  const YamlNode* scope = field(document.root, "scope_id");
  if (!pid || *pid <= 0 || !signal || *signal > kLastSignal || !seconds || !scope) return std::nullopt;
  return TimerLine{*pid, scope->text, nanos_of(*seconds), static_cast<int>(std::max<int64_t>(*signal, 0))};
}

bool RankTimers::take(const TimerLine& line, TimePoint now, int64_t wall_nanos) {
  const std::pair<int64_t, std::string> key{line.pid, line.scope};
  if (!line.expires) {
    timers_.erase(key);
    return true;
  }
  if (timers_.size() >= kMost && !timers_.contains(key)) return false;
  const int64_t left = std::clamp(*line.expires - wall_nanos, int64_t{0}, kNever - to_unix_nanos(now));
  timers_[key] = {now + Duration(left), line.signal};
  return true;
}

std::vector<ExpiredTimer> RankTimers::expired(TimePoint now) {
  std::erase_if(timers_, [now](const auto& entry) { return entry.second.signal == 0 && entry.second.over <= now; });
  std::map<int64_t, std::pair<TimePoint, ExpiredTimer>> first;
  for (const auto& [key, timer] : timers_) {
    if (timer.over > now) continue;
    const std::pair<TimePoint, ExpiredTimer> found{timer.over, {key.first, key.second, timer.signal}};
    const auto [known, fresh] = first.emplace(key.first, found);
    if (!fresh && timer.over < known->second.first) known->second = found;
  }
  std::vector<ExpiredTimer> all;
  for (const auto& [pid, each] : first) {
    all.push_back(each.second);
    forget(pid);
  }
  return all;
}

std::optional<TimePoint> RankTimers::next() const {
  std::optional<TimePoint> next;
  for (const auto& [key, timer] : timers_) next = std::min(next.value_or(timer.over), timer.over);
  return next;
}

void RankTimers::forget(int64_t pid) {
  std::erase_if(timers_, [pid](const auto& entry) { return entry.first.first == pid; });
}

std::vector<int64_t> RankTimers::processes() const {
  std::set<int64_t> pids;
  for (const auto& [key, timer] : timers_) pids.insert(key.first);
  return {pids.begin(), pids.end()};
}

}  // namespace muster
