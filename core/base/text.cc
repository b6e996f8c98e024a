// SPDX-License-Identifier: Apache-2.0
#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace muster {
namespace {

struct SizeUnit {
  std::string_view name;
  uint64_t bytes;
};

constexpr std::array<SizeUnit, 11> kSizeUnits = {{{"TiB", 1ULL << 40},
                                                  {"GiB", 1ULL << 30},
                                                  {"MiB", 1ULL << 20},
                                                  {"KiB", 1ULL << 10},
                                                  {"TB", 1'000'000'000'000},
                                                  {"GB", 1'000'000'000},
                                                  {"MB", 1'000'000},
                                                  {"kB", 1'000},
                                                  {"KB", 1'000},
                                                  {"B", 1},
                                                  {"", 1}}};

constexpr uint64_t kLargestSize = UINT64_MAX >> 1;

// Optimal string alignment: insert, delete, replace, swap neighbours (Damerau 1964).
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<size_t>> cost(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) cost[i][0] = i;
  for (size_t j = 0; j <= b.size(); ++j) cost[0][j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replace = cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, replace});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
    }
  }
  return cost[a.size()][b.size()];
}

// C0, DEL, and the C1 controls (C2 80 … C2 9F in UTF-8).
bool is_control(std::string_view sequence) {
  const unsigned char first = static_cast<unsigned char>(sequence[0]);
  if (sequence.size() == 1) return first < 0x20 || first == 0x7F;
  return first == 0xC2 && static_cast<unsigned char>(sequence[1]) < 0xA0;
}

// Characters that change the order in which the text around them is displayed (UAX #9, 2): U+061C, U+200E and U+200F, U+202A to
// U+202E, U+2066 to U+2069.
bool changes_direction(std::string_view sequence) {
  if (sequence == "\xD8\x9C") return true;
  if (sequence.size() != 3 || sequence[0] != '\xE2') return false;
  const unsigned char second = static_cast<unsigned char>(sequence[1]);
  const unsigned char third = static_cast<unsigned char>(sequence[2]);
  if (second == 0x81) return third >= 0xA6 && third <= 0xA9;
  return second == 0x80 && (third == 0x8E || third == 0x8F || (third >= 0xAA && third <= 0xAE));
}

}  // namespace

// Overlong forms and surrogates are invalid (RFC 3629).
size_t utf8_length(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[at + i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || at + length > text.size()) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  const unsigned char second = byte(1);
  if (first == 0xE0 && second < 0xA0) return 0;
  if (first == 0xED && second > 0x9F) return 0;
  if (first == 0xF0 && second < 0x90) return 0;
  if (first == 0xF4 && second > 0x8F) return 0;
  return length;
}

size_t begun_character(std::string_view text) {
  for (size_t back = 1; back <= std::min<size_t>(3, text.size()); ++back) {
    const auto byte = static_cast<unsigned char>(text[text.size() - back]);
    if ((byte & 0xC0) == 0x80) continue;
    const size_t length = byte > 0xF4 ? 1 : byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC2 ? 2 : 1;
    return length > back ? back : 0;
  }
  return 0;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  size_t start = 0;
  while (true) {
    const size_t end = text.find(separator, start);
    parts.emplace_back(text.substr(start, end - start));
    if (end == std::string_view::npos) return parts;
    start = end + 1;
  }
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string text;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) text += separator;
    text += parts[i];
  }
  return text;
}

std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& candidates) {
  constexpr size_t kLongest = 64;
  if (word.size() > kLongest) return std::nullopt;
  const size_t allowed = word.size() < 2 ? 0 : word.size() <= 5 ? 1 : 2;
  std::optional<std::string> best;
  size_t best_distance = allowed + 1;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > kLongest) continue;
    const size_t distance = edit_distance(word, candidate);
    if (distance >= best_distance) continue;
    best = candidate;
    best_distance = distance;
  }
  return best;
}

Result<uint64_t> parse_size(std::string_view text) {
  const Status wrong(Code::invalid_argument, "a size is a number with a unit (MiB, GiB, MB, GB …) such as 4GiB, not `" +
                                                 std::string(text) + "`");
  size_t at = 0;
  uint64_t number = 0;
  while (at < text.size() && text[at] >= '0' && text[at] <= '9') {
    const uint64_t digit = static_cast<uint64_t>(text[at++] - '0');
    if (number > (kLargestSize - digit) / 10) return wrong;
    number = number * 10 + digit;
  }
  if (at == 0) return wrong;
  for (const SizeUnit& unit : kSizeUnits) {
    if (text.substr(at) != unit.name) continue;
    if (number > kLargestSize / unit.bytes) return wrong;
    return number * unit.bytes;
  }
  return wrong;
}

std::string format_size(uint64_t bytes) {
  std::string best;
  size_t fewest = SIZE_MAX;
  for (const SizeUnit& unit : kSizeUnits) {
    const std::string number = std::to_string(bytes / unit.bytes);
    if (bytes % unit.bytes != 0 || number.size() >= fewest || (bytes == 0 && unit.bytes > 1)) continue;
    fewest = number.size();
    best = number + std::string(unit.name);
  }
  return best;
}

std::string humane_size(uint64_t bytes) {
  constexpr std::array<const char*, 7> kNames = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = static_cast<double>(bytes);
  size_t unit = 0;
  // 1023.95 would be rounded to 1024.
  for (; value >= (unit == 0 ? 1024 : 1023.95); ++unit) value /= 1024;
  char number[32];
  std::snprintf(number, sizeof number, "%.1f", value);
  std::string text = number;
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text + " " + kNames[unit];
}

std::string humane_count(uint64_t count) {
  std::string text = std::to_string(count);
  constexpr size_t kLongestPlain = 4;
  if (text.size() <= kLongestPlain) return text;
  for (size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

std::string count_of(uint64_t count, std::string_view noun) {
  return humane_count(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

std::string escaped(std::string_view text) {
  std::string shown;
  size_t at = 0;
  while (at < text.size()) {
    const size_t length = utf8_length(text, at);
    const std::string_view sequence = text.substr(at, std::max<size_t>(length, 1));
    if (length > 0 && !is_control(sequence) && !changes_direction(sequence)) {
      shown += sequence;
    } else {
      for (const char byte : sequence) {
        char buffer[8];
        std::snprintf(buffer, sizeof buffer, "\\x%02x", static_cast<unsigned char>(byte));
        shown += buffer;
      }
    }
    at += sequence.size();
  }
  return shown;
}

std::string short_list(const std::vector<std::string>& names, size_t limit) {
  if (names.size() <= limit) return join(names, ", ");
  const std::vector<std::string> shown(names.begin(), names.begin() + static_cast<long>(limit));
  return join(shown, ", ") + " and " + std::to_string(names.size() - limit) + " more";
}

std::string host_port(const std::string& host, uint16_t port) {
  const bool six = host.find(':') != std::string::npos;
  return (six ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

std::string shell_line(const std::vector<std::string>& words) {
  constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
  std::vector<std::string> quoted;
  for (const std::string& word : words) {
    const bool safe = !word.empty() && word.find_first_not_of(plain) == std::string::npos;
    quoted.push_back(safe ? word : "'" + join(split(word, '\''), "'\\''") + "'");
  }
  return join(quoted, " ");
}

}  // namespace muster
