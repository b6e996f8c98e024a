// SPDX-License-Identifier: Apache-2.0
// Names, labels and quantities by the API server's rules.
#include <algorithm>
#include <cctype>

#include "backends/kubernetes/manifest/manifest_parts.h"
#include "core/base/text.h"

namespace muster {
namespace {

constexpr size_t kLongestLabel = 63;
constexpr size_t kLongestName = 253;
constexpr size_t kLongestQuantity = 32;

bool is_lower_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }
bool is_alphanumeric(char c) { return is_lower_or_digit(c) || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The first and last characters must satisfy `end`; the others `end` or `inside`.
template <typename End, typename Inside>
bool is_word(std::string_view text, size_t longest, End end, Inside inside) {
  return !text.empty() && text.size() <= longest && end(text.front()) && end(text.back()) &&
         std::all_of(text.begin(), text.end(), [&](char c) { return end(c) || inside(c); });
}

bool is_label_word(std::string_view text) {
  return is_word(text, kLongestLabel, is_alphanumeric, [](char c) { return c == '-' || c == '_' || c == '.'; });
}

bool is_suffix(std::string_view text) {
  constexpr std::string_view kOnes = "numkMGTPE";
  if (text.empty()) return true;
  if (text.size() == 1) return kOnes.find(text[0]) != kOnes.npos;
  if (text.size() == 2 && text[1] == 'i') return std::string_view("KMGTPE").find(text[0]) != std::string_view::npos;
  if (text[0] != 'e' && text[0] != 'E') return false;
  text.remove_prefix(text[1] == '-' || text[1] == '+' ? 2 : 1);
  return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

}  // namespace

bool is_dns_label(std::string_view text) {
  return is_word(text, kLongestLabel, is_lower_or_digit, [](char c) { return c == '-'; });
}

bool is_dns_name(std::string_view text) {
  if (text.size() > kLongestName) return false;
  const std::vector<std::string> labels = split(text, '.');
  return std::all_of(labels.begin(), labels.end(), is_dns_label);
}

bool is_label_key(std::string_view text) {
  const size_t slash = text.find('/');
  if (slash == text.npos) return is_label_word(text);
  return is_dns_name(text.substr(0, slash)) && is_label_word(text.substr(slash + 1));
}

bool is_label_value(std::string_view text) { return text.empty() || is_label_word(text); }

bool is_quantity(std::string_view text) {
  if (text.size() > kLongestQuantity) return false;
  const size_t end = std::min(text.find_first_not_of("0123456789."), text.size());
  const std::string_view number = text.substr(0, end);
  const bool digits = std::any_of(number.begin(), number.end(), is_digit);
  return digits && std::count(number.begin(), number.end(), '.') <= 1 && is_suffix(text.substr(end));
}

std::string nearest_quantity(std::string_view text) {
  const size_t end = std::min(text.find_first_not_of("0123456789."), text.size());
  if (end == 0 || end == text.size()) return "";
  std::string unit(text.substr(std::min(text.find_first_not_of(' ', end), text.size())));
  const bool power_of_two = unit.find('i') != std::string::npos || unit.find('I') != std::string::npos;
  if (unit.empty()) return "";
  const char letter = static_cast<char>(std::toupper(static_cast<unsigned char>(unit[0])));
  const std::string meant =
      std::string(text.substr(0, end)) + (letter == 'K' && !power_of_two ? 'k' : letter) + (power_of_two ? "i" : "");
  return is_quantity(meant) && meant != text ? meant : "";
}

}  // namespace muster
