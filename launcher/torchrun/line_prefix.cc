// SPDX-License-Identifier: Apache-2.0
#include "launcher/torchrun/line_prefix.h"

#include <cctype>
#include <string_view>

namespace muster {
namespace {

bool begins_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool in_name(char c) { return begins_name(c) || std::isdigit(static_cast<unsigned char>(c)) != 0; }

// The name at the beginning of `text`, or empty.
std::string_view name_at(std::string_view text) {
  size_t end = 0;
  while (end < text.size() && (end == 0 ? begins_name(text[end]) : in_name(text[end]))) ++end;
  return text.substr(0, end);
}

struct Reference {
  std::string_view name;
  size_t length = 0;  // with $ and braces; 0: there is none
};

Reference reference_at(std::string_view text) {
  const bool braced = text.size() > 1 && text[1] == '{';
  const size_t begin = braced ? 2 : 1;
  const std::string_view name = name_at(text.substr(std::min(begin, text.size())));
  if (name.empty()) return {};
  const size_t end = begin + name.size();
  if (!braced) return {name, end};
  return end < text.size() && text[end] == '}' ? Reference{name, end + 1} : Reference{};
}

}  // namespace

std::string substitute_template(const std::string& text, const std::map<std::string, std::string>& values) {
  std::string result;
  std::string_view rest = text;
  while (!rest.empty()) {
    const size_t dollar = std::min(rest.find('$'), rest.size());
    result += rest.substr(0, dollar);
    rest.remove_prefix(dollar);
    if (rest.empty()) break;
    if (rest.starts_with("$$")) {
      result += '$';
      rest.remove_prefix(2);
      continue;
    }
    const Reference reference = reference_at(rest);
    const auto value = values.find(std::string(reference.name));
    const size_t length = reference.length == 0 ? 1 : reference.length;
    result += reference.length > 0 && value != values.end() ? value->second : std::string(rest.substr(0, length));
    rest.remove_prefix(length);
  }
  return result;
}

}  // namespace muster
