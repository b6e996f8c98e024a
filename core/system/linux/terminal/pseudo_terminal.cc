// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/terminal/pseudo_terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

namespace muster {
namespace {

UniqueFd open_our_side() {
  UniqueFd ours(posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC));
  if (!ours.valid() || grantpt(ours.get()) != 0 || unlockpt(ours.get()) != 0) return UniqueFd();
  return ours;
}

// With ioctl_tty(2) and not by name: /dev/pts may belong to another mount here.
UniqueFd open_process_side(const UniqueFd& ours) {
  return above_stdio(UniqueFd(ioctl(ours.get(), TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC)));
}

}  // namespace

void pass_output_unchanged(int fd) {
  termios settings{};
  if (tcgetattr(fd, &settings) != 0) return;
  settings.c_oflag &= ~static_cast<tcflag_t>(OPOST);
  tcsetattr(fd, TCSANOW, &settings);
}

UniqueFd above_stdio(UniqueFd fd) {
  if (!fd.valid() || fd.get() > STDERR_FILENO) return fd;
  return UniqueFd(fcntl(fd.get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
}

Result<PseudoTerminal> open_pseudo_terminal() {
  PseudoTerminal terminal;
  terminal.ours = open_our_side();
  if (!terminal.ours.valid()) return errno_status(errno, "cannot open a pseudo-terminal");
  terminal.process_side = open_process_side(terminal.ours);
  if (!terminal.process_side.valid()) return errno_status(errno, "cannot open a pseudo-terminal");
  resize_terminal(terminal.ours.get(), 24, 80);
  return terminal;
}

void resize_terminal(int fd, uint16_t rows, uint16_t columns) {
  winsize size{};
  size.ws_row = rows;
  size.ws_col = columns;
  ioctl(fd, TIOCSWINSZ, &size);
}

}  // namespace muster
