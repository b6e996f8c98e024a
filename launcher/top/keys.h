// SPDX-License-Identifier: Apache-2.0
// KeyReader: parses the bytes of a terminal into key presses. A value.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace muster {

struct KeyPress {
  enum class Kind { letter, enter, escape, backspace, up, down, left, right, page_up, page_down, home, end } kind;
  char letter = 0;  // for Kind::letter: a printable ASCII character
  bool operator==(const KeyPress&) const = default;
};

class KeyReader {
 public:
  // An Escape is the Escape key only if no sequence follows it in the same read. Unknown sequences are ignored.
  std::vector<KeyPress> read(std::string_view bytes);
};

}  // namespace muster
