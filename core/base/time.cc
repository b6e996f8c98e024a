#include "core/base/time.h"

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
  return Status(Code::invalid_argument,
                "a duration is a number with a unit (ms, s, m, h, d) such as 30s or 1h30m, not `" +
                    std::string(text) + "`");
}

// Index into kUnits, or its size when `name` is none of them.
size_t unit_index(std::string_view name) {
  size_t index = 0;
  while (index < kUnits.size() && kUnits[index].name != name) ++index;
  return index;
}

std::string decimal(double value, const char* unit) {
  char buffer[48];
  std::snprintf(buffer, sizeof buffer, value < 100 ? "%.1f %s" : "%.0f %s", value, unit);
  return buffer;
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
  int64_t rest = duration.count();
  if (rest == 0) return "0s";
  std::string text = rest < 0 ? "-" : "";
  if (rest < 0) rest = -rest;
  for (const Unit& unit : kUnits) {
    if (rest / unit.nanos == 0) continue;
    text += std::to_string(rest / unit.nanos) + std::string(unit.name);
    rest %= unit.nanos;
  }
  return text;
}

std::string humane_duration(Duration duration) {
  const double seconds = static_cast<double>(duration.count()) / 1e9;
  const int64_t whole = duration.count() / 1'000'000'000;
  if (seconds < 0.001) return "0 ms";
  if (seconds < 1) return std::to_string(static_cast<int64_t>(seconds * 1000)) + " ms";
  if (seconds < 120) return decimal(seconds, "s");
  if (seconds < 3600) return two_units(whole / 60, "min", whole % 60, "s");
  if (seconds < 48 * 3600) return two_units(whole / 3600, "h", whole / 60 % 60, "min");
  return two_units(whole / 86400, "d", whole / 3600 % 24, "h");
}

std::string format_utc(TimePoint time) {
  const int64_t nanos = to_unix_nanos(time);
  const std::time_t seconds = nanos / 1'000'000'000;
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char date[32];
  std::strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &parts);
  char text[48];
  std::snprintf(text, sizeof text, "%s.%03dZ", date, static_cast<int>(nanos / 1'000'000 % 1000));
  return text;
}

}  // namespace muster
