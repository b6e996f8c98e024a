// SPDX-License-Identifier: Apache-2.0
#include "launcher/follow/keyboard.h"

#include <poll.h>
#include <signal.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace muster {
namespace {

constexpr char ctrl_p = 0x10;
constexpr char ctrl_q = 0x11;

// Global, because exit and signal handlers take no argument.
termios before;
bool grabbed = false;
const char* written_on_restore = "";

// Async-signal-safe (signal-safety(7)).
void write_restore_sequence() {
  const char* words = std::exchange(written_on_restore, "");
  if (*words == '\0') return;
  const ssize_t ignored = write(STDOUT_FILENO, words, strlen(words));
  static_cast<void>(ignored);
}

void restore() {
  if (!grabbed) return;
  write_restore_sequence();
  tcsetattr(STDIN_FILENO, TCSADRAIN, &before);
  grabbed = false;
}

// For crashes. SA_RESETHAND restores the signal's default action.
void restore_and_die(int number) {
  if (grabbed) {
    write_restore_sequence();
    tcsetattr(STDIN_FILENO, TCSANOW, &before);
  }
  raise(number);
}

bool register_handlers() {
  struct sigaction action {};
  action.sa_handler = restore_and_die;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_NODEFER);
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) sigaction(number, &action, nullptr);
  return std::atexit(restore) == 0;
}

termios changed(termios settings, Keyboard::Mode mode) {
  if (mode == Keyboard::Mode::relay) cfmakeraw(&settings);
  settings.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  if (mode == Keyboard::Mode::raw) {
    settings.c_lflag &= ~static_cast<tcflag_t>(ISIG | IEXTEN);
    settings.c_iflag &= ~static_cast<tcflag_t>(IXON | ICRNL | BRKINT | INPCK | ISTRIP);
  }
  if (mode == Keyboard::Mode::typing) {
    settings.c_lflag &= ~static_cast<tcflag_t>(IEXTEN);
    settings.c_iflag &= ~static_cast<tcflag_t>(ICRNL | INLCR | IGNCR);
  }
  settings.c_cc[VMIN] = 1;
  settings.c_cc[VTIME] = 0;
  return settings;
}

}  // namespace

bool Keyboard::grab(Mode mode, const char* restore_sequence) {
  static const bool registered = register_handlers();
  if (!registered || (!grabbed && tcgetattr(STDIN_FILENO, &before) != 0)) return false;
  grabbed = true;
  written_on_restore = restore_sequence;
  const termios wanted = changed(before, mode);
  return tcsetattr(STDIN_FILENO, TCSADRAIN, &wanted) == 0;
}

void Keyboard::release() { restore(); }

std::string Keyboard::read_typed(bool& closed) {
  pollfd typed{STDIN_FILENO, POLLIN, 0};
  if (poll(&typed, 1, 0) <= 0) return "";
  std::array<char, 4096> buffer{};
  const ssize_t length = ::read(STDIN_FILENO, buffer.data(), buffer.size());
  closed = length <= 0;
  return length > 0 ? std::string(buffer.data(), static_cast<size_t>(length)) : "";
}

std::string LeaveKeys::pass(const std::string& typed, bool& left) {
  std::string passed;
  for (const char key : typed) {
    if (held_ && key == ctrl_q) {
      left = true;
      return passed;
    }
    if (held_) passed += ctrl_p;
    held_ = key == ctrl_p;
    if (!held_) passed += key;
  }
  return passed;
}

}  // namespace muster
