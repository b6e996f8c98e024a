// SPDX-License-Identifier: Apache-2.0
#include "core/job/file/unit_hints.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "core/base/text.h"
#include "core/base/time.h"

namespace muster {
namespace {

struct Amount {
  std::string digits;
  std::string unit;  // lower case, without spaces
};

std::optional<Amount> amount_of(std::string_view text) {
  Amount amount;
  size_t at = 0;
  while (at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) != 0) amount.digits += text[at++];
  for (; at < text.size(); ++at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (std::isalpha(byte) != 0) {
      amount.unit += static_cast<char>(std::tolower(byte));
    } else if (byte != ' ' && byte != '_') {
      return std::nullopt;
    }
  }
  if (amount.digits.empty() || amount.unit.size() > 16) return std::nullopt;
  return amount;
}

struct Spelling {
  std::string_view start;  // of the unit as written
  std::string_view unit;
};

// Longer starts come first. Formatted by hand: clang-format would put each pair on a line of its own.
// clang-format off
constexpr std::array<Spelling, 13> kSizes = {{
    {"ki", "KiB"}, {"mi", "MiB"}, {"gi", "GiB"}, {"ti", "TiB"}, {"kb", "kB"}, {"mb", "MB"}, {"gb", "GB"},
    {"tb", "TB"},  {"k", "KiB"},  {"m", "MiB"},  {"g", "GiB"},  {"t", "TiB"}, {"b", "B"}}};
constexpr std::array<Spelling, 9> kDurations = {{
    {"ms", "ms"}, {"mil", "ms"}, {"us", "us"}, {"mic", "us"}, {"ns", "ns"},
    {"s", "s"},   {"m", "m"},    {"h", "h"},   {"d", "d"}}};
// clang-format on

template <size_t n>
std::optional<std::string> respelled(const Amount& amount, const std::array<Spelling, n>& spellings) {
  const auto found = std::find_if(spellings.begin(), spellings.end(),
                                  [&](const Spelling& each) { return amount.unit.starts_with(each.start); });
  if (found == spellings.end()) return std::nullopt;
  return amount.digits + std::string(found->unit);
}

}  // namespace

std::optional<std::string> size_meant(std::string_view text) {
  const auto amount = amount_of(text);
  if (!amount) return std::nullopt;
  const auto meant = amount->unit.empty() ? amount->digits + "MiB" : respelled(*amount, kSizes);
  return meant && parse_size(*meant).ok() ? meant : std::nullopt;
}

std::optional<std::string> duration_meant(std::string_view text) {
  const auto amount = amount_of(text);
  if (!amount) return std::nullopt;
  const auto meant = amount->unit.empty() ? amount->digits + "s" : respelled(*amount, kDurations);
  return meant && parse_duration(*meant).ok() ? meant : std::nullopt;
}

}  // namespace muster
