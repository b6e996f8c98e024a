// SPDX-License-Identifier: Apache-2.0
// LineAssembler: makes whole lines from the chunks of one rank's stream; chunks may be cut anywhere. Do not use it for
// output that must stay unchanged byte by byte (one rank into a pipe).
//
// A progress bar rewrites its line with `\r`. For a terminal, only the last state of such a line is returned, and `\r\n` ends
// a line like `\n`. A pipe gets every byte: a line with all its `\r`, and a newline after a `\r` if the states are more than
// 64 KiB. The length of a line is limited, so that a rank that never ends its line needs no more memory: 64 KiB for a
// terminal, 16 MiB for a pipe (enough for a JSON object). Pure; one owner.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace muster {

enum class LineTarget {
  pipe,      // the bytes of a line unchanged
  terminal,  // as safe_for_terminal()
};

// `text`, one line of a program, made safe for a terminal: control characters, characters that change the direction of
// text, escape sequences and bytes that are not UTF-8 are written as \xNN. Tabs and colours (SGR) are kept; colours are reset at the end.
std::string safe_for_terminal(std::string_view text);

class LineAssembler {
 public:
  explicit LineAssembler(LineTarget target = LineTarget::pipe) : target_(target) {}

  // Returns the lines that `bytes` completes, without their newline.
  std::vector<std::string> add(std::string_view bytes);

  // The same, but appends the lines to `text`, each with `prefix` before it and a newline after it.
  void add_to(std::string& text, std::string_view prefix, std::string_view bytes);

  // Call it at the end of the stream. Returns the incomplete line, if there is one.
  std::vector<std::string> flush();

  // The incomplete line as it would be printed now: a prompt, the state of a progress bar. Empty: none.
  std::string unfinished() const;
  // The incomplete line has been rewritten with `\r`: a progress bar.
  bool is_bar() const { return bar_ || returned_; }

 private:
  template <typename Print>
  void take_states(std::string_view piece, const Print& print);
  void take(std::string_view text);
  bool begun() const;
  std::string line() const;
  void clear();

  LineTarget target_;
  std::string text_;       // the line, up to the limit
  uint64_t cut_ = 0;       // number of bytes beyond the limit
  bool bar_ = false;       // text of this line replaced other text
  bool returned_ = false;  // the last byte was \r: the next text replaces the line
};

}  // namespace muster
