// Keys as a terminal sends them, from bytes that may be cut anywhere. A value.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace muster {

struct KeyPress {
  enum class Kind { letter, enter, escape, backspace, up, down, left, right, page_up, page_down, home, end } kind;
  char letter = 0;  // of a letter: a printable one of ASCII
  bool operator==(const KeyPress&) const = default;
};

class KeyReader {
 public:
  // A lone Escape is one only if nothing follows it in the same read. Unknown sequences are passed over.
  std::vector<KeyPress> read(std::string_view bytes);
};

}  // namespace muster
