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

// The terminal belongs to the process, not to an object: exit handlers take no argument.
termios before;
bool grabbed = false;
const char* failure_message = "";

// Only what a signal handler may do (signal-safety(7)).
void announce_shutdown() {
  const char* words = std::exchange(failure_message, "");
  if (*words == '\0') return;
  const ssize_t ignored = write(STDOUT_FILENO, words, strlen(words));
  static_cast<void>(ignored);
}

void put_back() {
  if (!grabbed) return;
  announce_shutdown();
  tcsetattr(STDIN_FILENO, TCSADRAIN, &before);
  grabbed = false;
}

// In a crash. SA_RESETHAND lets the signal be what it was.
void put_back_and_die(int number) {
  if (grabbed) {
    announce_shutdown();
    tcsetattr(STDIN_FILENO, TCSANOW, &before);
  }
  raise(number);
}

bool register_ends() {
  struct sigaction action {};
  action.sa_handler = put_back_and_die;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_NODEFER);
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) sigaction(number, &action, nullptr);
  return std::atexit(put_back) == 0;
}

termios changed(termios settings, Keyboard::Mode mode) {
  if (mode == Keyboard::Mode::relay) cfmakeraw(&settings);
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

bool Keyboard::grab(Mode mode, const char* farewell) {
  static const bool registered = register_ends();
  if (!registered || (!grabbed && tcgetattr(STDIN_FILENO, &before) != 0)) return false;
  grabbed = true;
  failure_message = farewell;
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
