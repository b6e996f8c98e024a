// SPDX-License-Identifier: Apache-2.0
#include "core/job/json_text.h"

#include <cstdio>

namespace muster {
namespace {

std::string escape_of(unsigned code) {
  char buffer[8];
  std::snprintf(buffer, sizeof buffer, "\\u%04x", code);
  return buffer;
}

// U+0080 … U+009F (C2 80 … C2 9F in UTF-8). One of them, NEL, ends a line for some readers.
bool is_c1(std::string_view text, size_t at) {
  if (at + 1 >= text.size()) return false;
  const auto next = static_cast<unsigned char>(text[at + 1]);
  return static_cast<unsigned char>(text[at]) == 0xC2 && next >= 0x80 && next < 0xA0;
}

}  // namespace

std::string json_quoted(std::string_view text) {
  std::string quoted = "\"";
  for (size_t at = 0; at < text.size(); ++at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte == '"' || byte == '\\') {
      quoted += '\\';
      quoted += text[at];
    } else if (byte < 0x20 || byte == 0x7F) {
      quoted += escape_of(byte);
    } else if (is_c1(text, at)) {
      quoted += escape_of(static_cast<unsigned char>(text[++at]));
    } else {
      quoted += text[at];
    }
  }
  return quoted + "\"";
}

std::string json_list(const std::vector<std::string>& texts) {
  std::string list = "[";
  for (const std::string& text : texts) {
    if (list.size() > 1) list += ",";
    list += json_quoted(text);
  }
  return list + "]";
}

}  // namespace muster
