// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/examine/python_lines.h"

#include <cstddef>

namespace muster {
namespace {

// A number has six bits in each byte, the least significant first.
class Numbers {
 public:
  explicit Numbers(std::string_view bytes) : bytes_(bytes) {}
  bool any() const { return at_ < bytes_.size(); }
  uint8_t byte() { return any() ? static_cast<uint8_t>(bytes_[at_++]) : 0; }
  uint32_t number() {
    uint32_t value = 0;
    for (uint32_t shift = 0; shift < 32; shift += 6) {
      const uint8_t next = byte();
      value |= static_cast<uint32_t>(next & 63) << shift;
      if ((next & 64) == 0) break;
    }
    return value;
  }
  int64_t signed_number() {
    const int64_t value = number();
    return (value & 1) != 0 ? -(value >> 1) : value >> 1;
  }
  void skip(size_t count) { at_ += count; }

 private:
  std::string_view bytes_;
  size_t at_ = 0;
};

}  // namespace

// Entries as in Python's Objects/locations.md: the number of instructions, the line difference, and columns.
int64_t python_line(std::string_view table, int64_t line, int64_t unit) {
  enum Kind { one_line = 10, no_columns = 13, all = 14, none = 15 };
  Numbers numbers(table);
  for (int64_t begin = 0; numbers.any();) {
    const uint8_t head = numbers.byte();
    const int kind = (head >> 3) & 15;
    begin += (head & 7) + 1;
    if (kind == no_columns || kind == all) line += numbers.signed_number();
    if (kind == all) numbers.number(), numbers.number(), numbers.number();
    if (kind >= one_line && kind < no_columns) line += kind - one_line;
    if (kind < no_columns) numbers.skip(kind < one_line ? 1 : 2);
    if (unit < begin) return kind == none ? 0 : line;
  }
  return 0;
}

// Pairs as in Python 3.10's Objects/lnotab_notes.txt: bytes of instructions, and the line difference.
int64_t python_line_310(std::string_view table, int64_t line, int64_t unit) {
  constexpr int8_t kNoLine = -128;
  int64_t end = 0;
  for (size_t at = 0; at + 1 < table.size(); at += 2) {
    const auto further = static_cast<int8_t>(table[at + 1]);
    end += static_cast<uint8_t>(table[at]);
    if (further != kNoLine) line += further;
    if (unit * 2 < end) return further == kNoLine ? 0 : line;
  }
  return 0;
}

}  // namespace muster
