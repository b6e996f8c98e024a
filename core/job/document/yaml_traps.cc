// SPDX-License-Identifier: Apache-2.0
#include "core/job/document/yaml_traps.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace muster {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

bool all_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::string_view without_sign(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return text;
}

// YAML 1.1 reads 1:30 as 90.
bool is_base_60(std::string_view plain) {
  std::string_view rest = without_sign(plain);
  size_t parts = 0;
  while (true) {
    const size_t colon = rest.find(':');
    const std::string_view part = rest.substr(0, colon);
    const bool fits = parts == 0 || part.size() == 1 || (part.size() == 2 && part[0] < '6');
    if (!all_digits(part) || !fits) return false;
    ++parts;
    if (colon == std::string_view::npos) return parts > 1;
    rest.remove_prefix(colon + 1);
  }
}

}  // namespace

bool is_octal(std::string_view plain) {
  std::string_view digits = without_sign(plain);
  if (digits.size() < 2 || digits[0] != '0') return false;
  digits.remove_prefix(digits[1] == 'o' ? 2 : 1);
  return all_digits(digits);
}

std::optional<YamlTrap> find_trap(std::string_view plain) {
  constexpr std::array<std::string_view, 4> kTruths = {"yes", "no", "on", "off"};
  const std::string quoted = "`" + std::string(plain) + "`";
  const std::string word = plain.size() <= 3 ? lower(plain) : "";
  if (std::find(kTruths.begin(), kTruths.end(), word) != kTruths.end()) {
    const bool truth = word == "yes" || word == "on";
    return YamlTrap{"E1105",
                    "YAML 1.1 reads " + quoted + " as " + (truth ? "true" : "false") + ", YAML 1.2 reads it as a text"};
  }
  if (is_octal(plain)) return YamlTrap{"E1104", "some YAML readers read " + quoted + " as octal, others as decimal"};
  if (is_base_60(plain)) return YamlTrap{"E1104", "YAML 1.1 reads " + quoted + " as a number in base 60"};
  return std::nullopt;
}

}  // namespace muster
