// Keyboard: the terminal on descriptor 0 while single keys are wanted. Whatever happens, the terminal is put
// back: on release, on destruction, at exit of the process, however main is left, and when it crashes.
#pragma once

#include <string>

namespace muster {

class Keyboard {
 public:
  enum class Mode {
    keys,   // no echo, no waiting for Enter; Ctrl-C stays a signal
    raw,    // every key is a byte, Ctrl-C too (--tty); output is still cooked
    relay,  // nothing is touched either way: there is a whole terminal on the other side
  };

  Keyboard() = default;
  ~Keyboard() { release(); }
  Keyboard(const Keyboard&) = delete;
  Keyboard& operator=(const Keyboard&) = delete;

  // False when descriptor 0 is no terminal; nothing is changed then. `farewell` is written to stdout whenever the terminal is put
  // back: what a program that draws on all of the screen leaves it with. It must live as long as the process.
  bool grab(Mode mode, const char* farewell = "");
  void release();

  // What was typed so far, without waiting; empty with `closed` set when the terminal is gone.
  static std::string read_typed(bool& closed);
};

// Finds Ctrl-P Ctrl-Q, which leaves a job's terminal, among typed bytes. A value.
class LeaveKeys {
 public:
  // The bytes that are for the program; `left` is set when the two keys were typed in a row.
  std::string pass(const std::string& typed, bool& left);

 private:
  bool held_ = false;  // a Ctrl-P that may begin the pair
};

}  // namespace muster
