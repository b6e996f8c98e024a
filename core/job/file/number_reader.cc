// SPDX-License-Identifier: Apache-2.0
#include "core/job/file/number_reader.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/job/document/yaml_traps.h"
#include "core/job/file/unit_hints.h"

namespace muster {
namespace {

bool all_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool looks_negative(std::string_view text) { return text.starts_with('-') && all_digits(text.substr(1)); }

// Saturates on overflow.
uint64_t to_number(std::string_view digits) {
  constexpr uint64_t kEnough = UINT64_MAX / 10 - 1;
  uint64_t number = 0;
  for (const char digit : digits) number = number > kEnough ? number : number * 10 + static_cast<uint64_t>(digit - '0');
  return number;
}

struct Range {
  std::string low;
  std::string high;
};

std::optional<Range> range_at(std::string_view text, std::string_view separator) {
  const size_t at = text.find(separator);
  if (at == std::string_view::npos) return std::nullopt;
  return Range{std::string(text.substr(0, at)), std::string(text.substr(at + separator.size()))};
}

// "MIN..MAX" for ranges that are written as "2:4" (torchrun), "2-4" or "2...4", if `is_end` accepts both ends.
template <typename Predicate>
std::optional<std::string> range_meant(std::string_view text, Predicate is_end) {
  for (const std::string_view separator : {"...", ":", "-", ",", "–"}) {
    const auto range = range_at(text, separator);
    if (range && is_end(range->low) && is_end(range->high)) return range->low + ".." + range->high;
  }
  return std::nullopt;
}

bool is_duration(std::string_view text) { return parse_duration(text).ok(); }

// Messages show `shown`; `text` can be a part of it.
std::optional<uint32_t> bounded_number(ValueReader& reader, std::string_view text, std::string_view shown) {
  const std::string name = "`" + reader.name() + "`";
  if (is_octal(text)) {
    Diagnostic octal =
        reader.problem("E1104", reader.node(), "some YAML readers read `" + std::string(text) + "` as octal");
    octal.label = "write it without the leading zero";
    const size_t first = std::min(text.find_first_not_of("0o"), text.size() - 1);
    if (text == reader.node().text && all_digits(text)) octal.suggestions = {std::string(text.substr(first))};
    reader.report(std::move(octal));
  } else {
    const bool number = all_digits(text) || looks_negative(text);
    const bool inside = all_digits(text) && to_number(text) >= reader.key().low && to_number(text) <= reader.key().high;
    if (inside) return static_cast<uint32_t>(to_number(text));
    const char* code = number ? "E1103" : "E1102";
    reader.report(reader.problem(code, reader.node(),
                                 name + " must be " + wanted(reader.key()) + ", not `" + std::string(shown) + "`"));
  }
  return std::nullopt;
}

void report_unit(ValueReader& reader, const char* code, const std::optional<std::string>& meant) {
  Diagnostic wrong =
      reader.problem(code, reader.node(),
                     "`" + reader.name() + "` must be " + wanted(reader.key()) + ", not `" + reader.node().text + "`");
  if (meant && *meant != reader.node().text) {
    suggest(wrong, *meant);
  }
  reader.report(std::move(wrong));
}

std::optional<Duration> one_duration(ValueReader& reader, std::string_view text) {
  const auto parsed = parse_duration(text);
  if (parsed.ok()) return *parsed;
  const auto meant = duration_meant(text);
  report_unit(reader, "E1106", text == reader.node().text ? meant : std::nullopt);
  return std::nullopt;
}

}  // namespace

void read_count(ValueReader& reader, uint32_t& value) {
  const std::string* text = reader.scalar();
  if (text == nullptr) return;
  if (const auto found = bounded_number(reader, *text, *text)) value = *found;
}

void read_integer(ValueReader& reader, int32_t& value) {
  const std::string* text = reader.scalar();
  if (text == nullptr) return;
  const bool negative = looks_negative(*text) && to_number(text->substr(1)) <= reader.key().high;
  const auto found = bounded_number(reader, negative ? text->substr(1) : *text, *text);
  if (found) value = negative ? -static_cast<int32_t>(*found) : static_cast<int32_t>(*found);
}

void read_rank(ValueReader& reader, std::optional<Rank>& value) {
  Rank found = value.value_or(0);
  const std::string* text = reader.scalar();
  if (text == nullptr) return;
  const auto parsed = bounded_number(reader, *text, *text);
  if (parsed) found = *parsed;
  if (parsed) value = found;
}

void read_version(ValueReader& reader, uint32_t& value) {
  const std::string* text = reader.scalar();
  if (text == nullptr) return;
  if (!all_digits(*text) || is_octal(*text) || to_number(*text) <= reader.key().high) return read_count(reader, value);
  Diagnostic newer =
      reader.problem("E1210", reader.node(), "this file was written for a newer muster: version " + *text);
  newer.label = "this muster reads version " + std::to_string(reader.key().high);
  newer.help = "update muster, or write the file for version " + std::to_string(reader.key().high);
  reader.report(std::move(newer));
}

void read_auto_count(ValueReader& reader, AutoCount& value) {
  const std::string* text = reader.scalar();
  if (text == nullptr) return;
  if (*text == "auto") {
    value = AutoCount{true, 0};
  } else if (const auto found = bounded_number(reader, *text, *text)) {
    value = AutoCount{false, *found};
  }
}

void read_node_range(ValueReader& reader, GroupSpec& value) {
  const std::string* text = reader.scalar();
  if (text == nullptr) return;
  const auto meant = range_meant(*text, all_digits);
  if (meant && *meant != *text) {
    Diagnostic other = reader.problem(
        "E1108", reader.node(), "`" + reader.name() + "` must be " + wanted(reader.key()) + ", not `" + *text + "`");
    suggest(other, *meant);
    return reader.report(std::move(other));
  }
  const Range range = range_at(*text, "..").value_or(Range{*text, *text});
  const auto low = bounded_number(reader, range.low, *text);
  if (!low) return;
  const auto high = bounded_number(reader, range.high, *text);
  if (!high) return;
  value.min_nodes = *low;
  value.max_nodes = *high;
}

// A number without a unit is refused, because 2048 could mean bytes or MiB.
void read_size(ValueReader& reader, uint64_t& value) {
  const std::string* text = reader.scalar();
  if (text == nullptr) return;
  const auto parsed = parse_size(*text);
  const bool bare = all_digits(*text) && to_number(*text) != 0;
  if (!parsed.ok() || bare) return report_unit(reader, "E1107", size_meant(*text));
  value = *parsed;
}

void read_duration(ValueReader& reader, Duration& value) {
  const std::string* text = reader.scalar();
  if (text == nullptr) return;
  if (const auto found = one_duration(reader, *text)) value = *found;
}

void read_optional_duration(ValueReader& reader, std::optional<Duration>& value) {
  Duration found = value.value_or(Duration(-1));
  read_duration(reader, found);
  if (found >= Duration(0)) value = found;
}

void read_duration_range(ValueReader& reader, Duration& low, Duration& high) {
  const std::string* text = reader.scalar();
  if (text == nullptr) return;
  const auto meant = range_meant(*text, is_duration);
  if (meant) return report_unit(reader, "E1106", meant);
  const Range range = range_at(*text, "..").value_or(Range{*text, *text});
  const auto first = one_duration(reader, range.low);
  if (!first) return;
  const auto last = one_duration(reader, range.high);
  if (!last) return;
  low = *first;
  high = *last;
}

}  // namespace muster
