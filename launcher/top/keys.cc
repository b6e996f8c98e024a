// SPDX-License-Identifier: Apache-2.0
#include "launcher/top/keys.h"

#include <optional>

namespace muster {
namespace {

using Kind = KeyPress::Kind;

struct Sequence {
  std::string_view bytes;  // after the Escape
  Kind kind;
};
constexpr Sequence kSequences[] = {
    {"[A", Kind::up},       {"[B", Kind::down},       {"[C", Kind::right}, {"[D", Kind::left},
    {"OA", Kind::up},       {"OB", Kind::down},       {"OC", Kind::right}, {"OD", Kind::left},
    {"[5~", Kind::page_up}, {"[6~", Kind::page_down}, {"[H", Kind::home},  {"[F", Kind::end},
    {"[1~", Kind::home},    {"[4~", Kind::end},       {"OH", Kind::home},  {"OF", Kind::end},
};

// Length of the control sequence at the beginning of `rest`, which starts after the Escape. By ECMA-48 it ends with a byte from @
// to ~.
size_t length_of(std::string_view rest) {
  if (rest.empty()) return 0;
  if (rest[0] == 'O') return rest.size() < 2 ? rest.size() : 2;
  if (rest[0] != '[') return 0;
  size_t at = 1;
  while (at < rest.size() && (rest[at] < '@' || rest[at] > '~')) ++at;
  return at < rest.size() ? at + 1 : rest.size();
}

std::optional<KeyPress> key_of(char byte) {
  if (byte == '\r' || byte == '\n') return KeyPress{Kind::enter};
  if (byte == '\x7f' || byte == '\b') return KeyPress{Kind::backspace};
  if (byte >= ' ' && byte <= '~') return KeyPress{Kind::letter, byte};
  return std::nullopt;
}

}  // namespace

std::vector<KeyPress> KeyReader::read(std::string_view bytes) {
  std::vector<KeyPress> keys;
  while (!bytes.empty()) {
    const char first = bytes.front();
    bytes.remove_prefix(1);
    if (first != '\x1b') {
      if (const auto key = key_of(first)) keys.push_back(*key);
      continue;
    }
    const std::string_view sequence = bytes.substr(0, length_of(bytes));
    bytes.remove_prefix(sequence.size());
    if (sequence.empty()) keys.push_back({Kind::escape});
    for (const Sequence& known : kSequences) {
      if (known.bytes == sequence) keys.push_back({known.kind});
    }
  }
  return keys;
}

}  // namespace muster
