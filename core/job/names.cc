// SPDX-License-Identifier: Apache-2.0
#include "core/job/names.h"

#include <algorithm>

#include "core/base/text.h"

namespace muster {
namespace {

constexpr size_t kLongestName = 40;

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

bool is_name(std::string_view text) {
  if (text.empty() || text.size() > kLongestName || !is_lower(text.front()) || text.back() == '-') return false;
  return std::all_of(text.begin(), text.end(), [](char c) { return is_lower(c) || is_digit(c) || c == '-'; });
}

std::string nearest_name(std::string_view text) {
  std::string name;
  for (const char byte : text) {
    const char low = byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte - 'A' + 'a') : byte;
    if (is_lower(low) || (is_digit(low) && !name.empty()))
      name += low;
    else if (!name.empty() && name.back() != '-')
      name += '-';
  }
  name = name.substr(0, kLongestName);
  while (name.ends_with('-')) name.pop_back();
  return name;
}

bool is_text(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const size_t length = text[at] == '\0' ? 0 : utf8_length(text, at);
    if (length == 0) return false;
    at += length;
  }
  return true;
}

bool has_control(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7F; });
}

bool is_variable(std::string_view name) {
  return !name.empty() && name.size() <= kLongestKey && name.find('=') == std::string_view::npos && is_text(name) &&
         !has_control(name);
}

}  // namespace muster
