// SPDX-License-Identifier: Apache-2.0
#include "core/wire/values/wire_text.h"

#include <cstdint>

namespace muster {
namespace {

uint8_t byte_at(std::string_view text, size_t at) { return at < text.size() ? static_cast<uint8_t>(text[at]) : 0; }

bool between(uint8_t byte, uint8_t low, uint8_t high) { return byte >= low && byte <= high; }

// The second byte's range decides well-formedness (Unicode 15, table 3-7).
bool second_fits(uint8_t first, uint8_t second) {
  switch (first) {
    case 0xe0: return between(second, 0xa0, 0xbf);
    case 0xed: return between(second, 0x80, 0x9f);
    case 0xf0: return between(second, 0x90, 0xbf);
    case 0xf4: return between(second, 0x80, 0x8f);
    default: return between(second, 0x80, 0xbf);
  }
}

size_t expected_length(uint8_t first) {
  if (first < 0x80) return 1;
  if (between(first, 0xc2, 0xdf)) return 2;
  if (between(first, 0xe0, 0xef)) return 3;
  if (between(first, 0xf0, 0xf4)) return 4;
  return 0;
}

// The number of bytes of the well-formed character at `at`; 0: there is none.
size_t character_length(std::string_view text, size_t at) {
  const uint8_t first = byte_at(text, at);
  const size_t length = expected_length(first);
  if (length <= 1) return length;
  if (!second_fits(first, byte_at(text, at + 1))) return 0;
  for (size_t next = 2; next < length; ++next) {
    if (!between(byte_at(text, at + next), 0x80, 0xbf)) return 0;
  }
  return length;
}

void append_escaped(std::string& out, uint8_t byte) {
  constexpr char kDigits[] = "0123456789abcdef";
  out += {'\\', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
}

}  // namespace

bool is_utf8(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const size_t length = character_length(text, at);
    if (length == 0) return false;
    at += length;
  }
  return true;
}

std::string wire_text(std::string_view text) {
  if (is_utf8(text)) return std::string(text);
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t length = character_length(text, at);
    if (length == 0) append_escaped(out, byte_at(text, at));
    out += text.substr(at, length);
    at += length == 0 ? 1 : length;
  }
  return out;
}

}  // namespace muster
