#include "launcher/follow/keyboard.h"

#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

namespace muster {
namespace {

constexpr char ctrl_p = 0x10;
constexpr char ctrl_q = 0x11;

// The terminal belongs to the process, not to an object: exit handlers take no argument.
termios before;
bool grabbed = false;

void put_back() {
  if (grabbed) tcsetattr(STDIN_FILENO, TCSADRAIN, &before);
  grabbed = false;
}

termios changed(termios settings, Keyboard::Mode mode) {
  settings.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  if (mode == Keyboard::Mode::raw) {
    settings.c_lflag &= ~static_cast<tcflag_t>(ISIG | IEXTEN);
    settings.c_iflag &= ~static_cast<tcflag_t>(IXON | ICRNL | BRKINT | INPCK | ISTRIP);
  }
  settings.c_cc[VMIN] = 1;
  settings.c_cc[VTIME] = 0;
  return settings;
}

}  // namespace

bool Keyboard::grab(Mode mode) {
  static const bool registered = std::atexit(put_back) == 0;
  if (!registered || (!grabbed && tcgetattr(STDIN_FILENO, &before) != 0)) return false;
  grabbed = true;
  const termios wanted = changed(before, mode);
  return tcsetattr(STDIN_FILENO, TCSADRAIN, &wanted) == 0;
}

void Keyboard::release() { put_back(); }

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
