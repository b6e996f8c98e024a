// SPDX-License-Identifier: Apache-2.0
#include "core/base/time.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>

namespace muster {
namespace {

struct Unit {
  std::string_view name;
  int64_t nanos;
};

constexpr std::array<Unit, 7> kUnits = {{{"d", 86'400'000'000'000},
                                         {"h", 3'600'000'000'000},
                                         {"m", 60'000'000'000},
                                         {"s", 1'000'000'000},
                                         {"ms", 1'000'000},
                                         {"us", 1'000},
                                         {"ns", 1}}};

constexpr int64_t kLimit = 10LL * 366 * 86'400'000'000'000;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

Status wrong(std::string_view text) {
  return Status(
      Code::invalid_argument,
      "a duration is a number with a unit (ms, s, m, h, d) such as 30s or 1h30m, not `" + std::string(text) + "`");
}

// Index into kUnits; kUnits.size() if `name` is not a unit.
size_t unit_index(std::string_view name) {
  size_t index = 0;
  while (index < kUnits.size() && kUnits[index].name != name) ++index;
  return index;
}

// "12.1", "30".
std::string tenths(int64_t count) {
  return std::to_string(count / 10) + (count % 10 == 0 ? "" : "." + std::to_string(count % 10));
}

std::string two_units(int64_t big, const char* big_name, int64_t small, const char* small_name) {
  std::string text = std::to_string(big) + " " + big_name;
  if (small > 0) text += " " + std::to_string(small) + " " + small_name;
  return text;
}

}  // namespace

Result<Duration> parse_duration(std::string_view text) {
  if (text == "0") return Duration(0);
  int64_t total = 0;
  size_t next_unit = 0;
  size_t at = 0;
  if (text.empty()) return wrong(text);
  while (at < text.size()) {
    const size_t digits = at;
    int64_t number = 0;
    while (at < text.size() && is_digit(text[at]) && number <= kLimit) number = number * 10 + (text[at++] - '0');
    if (at == digits || number > kLimit) return wrong(text);
    const size_t letters = at;
    while (at < text.size() && !is_digit(text[at])) ++at;
    const size_t unit = unit_index(text.substr(letters, at - letters));
    if (unit < next_unit || unit == kUnits.size()) return wrong(text);
    if (number > kLimit / kUnits[unit].nanos) return wrong(text);
    total += number * kUnits[unit].nanos;
    next_unit = unit + 1;
    if (total > kLimit) return wrong(text);
  }
  return Duration(total);
}

std::string format_duration(Duration duration) {
  const bool negative = duration.count() < 0;
  uint64_t rest = static_cast<uint64_t>(duration.count());
  if (rest == 0) return "0s";
  if (negative) rest = ~rest + 1;  // the smallest value has no positive counterpart in 64 bits
  std::string text = negative ? "-" : "";
  for (const Unit& unit : kUnits) {
    const uint64_t nanos = static_cast<uint64_t>(unit.nanos);
    if (rest / nanos == 0) continue;
    text += std::to_string(rest / nanos) + std::string(unit.name);
    rest %= nanos;
  }
  return text;
}

// Rounds before it chooses the unit: 59.96 s are 1 min, not 60 s.
std::string humane_duration(Duration duration) {
  const int64_t millis = std::max<int64_t>(duration.count(), 0) / 1'000'000;
  if (millis < 1000) return std::to_string(millis) + " ms";
  if (millis < 59'950) return tenths((millis + 50) / 100) + " s";
  const int64_t seconds = (millis + 500) / 1000;
  if (seconds < 3600) return two_units(seconds / 60, "min", seconds % 60, "s");
  const int64_t minutes = (seconds + 30) / 60;
  if (minutes < 48 * 60) return two_units(minutes / 60, "h", minutes % 60, "min");
  const int64_t hours = (minutes + 30) / 60;
  return two_units(hours / 24, "d", hours % 24, "h");
}

std::string format_utc(TimePoint time) {
  const auto whole = std::chrono::floor<std::chrono::seconds>(time.time_since_epoch());
  const auto millis = std::chrono::floor<std::chrono::milliseconds>(time.time_since_epoch()) - whole;
  const std::time_t seconds = whole.count();
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char date[32];
  std::strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &parts);
  char text[48];
  std::snprintf(text, sizeof text, "%s.%03dZ", date, static_cast<int>(millis.count()));
  return text;
}

}  // namespace muster
