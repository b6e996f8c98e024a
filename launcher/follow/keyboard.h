// SPDX-License-Identifier: Apache-2.0
// Keyboard: reads single keys from the terminal on descriptor 0. The terminal's settings are restored on release(), on destruction, at exit
// of the process, and on a crash.
#pragma once

#include <string>

namespace muster {

class Keyboard {
 public:
  enum class Mode {
    keys,    // no echo, no waiting for Enter; Ctrl-C stays a signal
    typing,  // as keys, for a rank's terminal, which has its own line editing; Ctrl-C and Ctrl-Z stay signals
    raw,     // every key is a byte, including Ctrl-C (--tty); output is processed by the terminal driver
    relay,   // input and output are passed unchanged: the other end has its own terminal
  };

  Keyboard() = default;
  ~Keyboard() { release(); }
  Keyboard(const Keyboard&) = delete;
  Keyboard& operator=(const Keyboard&) = delete;

  // False if descriptor 0 is not a terminal; nothing is changed then. `restore_sequence` is written to stdout when the terminal is
  // restored, for programs that draw on the whole screen. It must be valid as long as the process runs.
  bool grab(Mode mode, const char* restore_sequence = "");
  void release();

  // The bytes typed so far, without waiting. If the terminal is closed: empty, and sets `closed`.
  static std::string read_typed(bool& closed);
};

// LeaveKeys: finds Ctrl-P Ctrl-Q in typed bytes, which leaves a job's terminal. A value.
class LeaveKeys {
 public:
  // Returns the bytes for the program. Sets `left` when the two keys were typed in a row.
  std::string pass(const std::string& typed, bool& left);

 private:
  bool held_ = false;  // a Ctrl-P that may begin the pair
};

}  // namespace muster
