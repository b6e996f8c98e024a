// SPDX-License-Identifier: Apache-2.0
#include "core/base/quantity.h"

#include <array>
#include <charconv>
#include <cmath>

namespace muster {
namespace {

struct Suffix {
  std::string_view text;
  double factor;
};

constexpr std::array<Suffix, 16> kSuffixes = {{{"", 1},
                                               {"n", 1e-9},
                                               {"u", 1e-6},
                                               {"m", 1e-3},
                                               {"k", 1e3},
                                               {"M", 1e6},
                                               {"G", 1e9},
                                               {"T", 1e12},
                                               {"P", 1e15},
                                               {"E", 1e18},
                                               {"Ki", 0x1p10},
                                               {"Mi", 0x1p20},
                                               {"Gi", 0x1p30},
                                               {"Ti", 0x1p40},
                                               {"Pi", 0x1p50},
                                               {"Ei", 0x1p60}}};

}  // namespace

std::optional<double> quantity_value(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || !std::isfinite(number) || number < 0) return std::nullopt;
  const std::string_view rest = text.substr(static_cast<size_t>(end - text.data()));
  for (const Suffix& suffix : kSuffixes) {
    if (rest == suffix.text && std::isfinite(number * suffix.factor)) return number * suffix.factor;
  }
  return std::nullopt;
}

}  // namespace muster
