// LineAssembler: turns the chunks of one rank's stream, cut anywhere, into lines to print one by one, each whole
// and none huge. Not for output that must stay as it is byte by byte (one rank into a pipe): that needs no lines.
//
// A progress bar rewrites its line by `\r`: of such a line the last state counts. `\r\n` ends a line like `\n`. Of a
// line at most 64 KiB are kept for a terminal, which nobody reads further, and 16 MiB for a pipe, which a program may:
// enough for a JSON object, and a rank that never ends its line costs no more memory. Pure; one owner.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace muster {

enum class LineTarget {
  pipe,      // the bytes of a line as they are
  terminal,  // safe_for_terminal
};

// `text`, one line of a program, so that a terminal shows it and does nothing else: other control characters,
// escape sequences and bytes that are no UTF-8 are written as \xNN; tabs and colours (SGR) stay, and colours end
// with the text.
std::string safe_for_terminal(std::string_view text);

class LineAssembler {
 public:
  explicit LineAssembler(LineTarget target = LineTarget::pipe) : target_(target) {}

  // The lines that `bytes` completed, without their newline, ready to print.
  std::vector<std::string> add(std::string_view bytes);

  // The same, appended to `text`, each with `prefix` before it and a newline behind.
  void add_to(std::string& text, std::string_view prefix, std::string_view bytes);

  // The stream ended, or will not go on: what was begun and not ended, as the last line.
  std::vector<std::string> flush();

  // The line begun and not ended, as it would be printed now: a prompt, the state of a progress bar. Empty: none.
  std::string unfinished() const;

 private:
  void take_states(std::string_view piece);
  void take(std::string_view text);
  bool begun() const;
  std::string line() const;
  void clear();

  LineTarget target_;
  std::string text_;       // the line, up to what is kept of it
  uint64_t cut_ = 0;       // its bytes beyond
  bool returned_ = false;  // a \r came last: what follows replaces the text
};

}  // namespace muster
