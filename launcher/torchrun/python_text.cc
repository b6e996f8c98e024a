// SPDX-License-Identifier: Apache-2.0
#include "launcher/torchrun/python_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace muster {
namespace {

constexpr std::string_view kBlanks = " \t\n\r\f\v\x1c\x1d\x1e\x1f";

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view stripped(std::string_view text) {
  const size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return "";
  return text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

// Without underscores; nothing when one is not between two digits.
std::optional<std::string> without_underscores(std::string_view text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '_') {
      plain += text[i];
      continue;
    }
    const bool between = i > 0 && i + 1 < text.size() && is_digit(text[i - 1]) && is_digit(text[i + 1]);
    if (!between) return std::nullopt;
  }
  return plain;
}

// from_chars takes no plus; Python takes one, but not in front of a minus.
bool drop_plus(std::string& text) {
  if (!text.starts_with("+")) return true;
  text.erase(0, 1);
  return !text.starts_with("-");
}

}  // namespace

std::optional<int64_t> python_int(std::string_view text) {
  auto plain = without_underscores(stripped(text));
  if (!plain || !drop_plus(*plain)) return std::nullopt;
  int64_t number = 0;
  const char* end = plain->data() + plain->size();
  const auto [stopped, error] = std::from_chars(plain->data(), end, number);
  return error == std::errc() && stopped == end ? std::optional(number) : std::nullopt;
}

std::optional<double> python_float(std::string_view text) {
  auto plain = without_underscores(stripped(text));
  if (!plain || !drop_plus(*plain) || plain->find('(') != std::string::npos) return std::nullopt;
  double number = 0;
  const char* end = plain->data() + plain->size();
  const auto [stopped, error] = std::from_chars(plain->data(), end, number);
  if (stopped != end || error == std::errc::invalid_argument) return std::nullopt;
  if (error == std::errc::result_out_of_range) return std::strtod(plain->c_str(), nullptr);
  return number;
}

std::vector<std::string> python_comma_list(std::string_view text) {
  std::vector<std::string> items(1);
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != ',') {
      items.back() += text[i];
    } else if (i + 1 < text.size() && text[i + 1] == ',') {
      items.back() += ',';
      ++i;
    } else {
      items.emplace_back();
    }
  }
  return items;
}

}  // namespace muster
