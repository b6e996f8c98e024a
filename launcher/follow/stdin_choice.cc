// SPDX-License-Identifier: Apache-2.0
#include "launcher/follow/stdin_choice.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "core/base/text.h"
#include "core/client/console_writer.h"
#include "core/system/linux/proc_files.h"

namespace muster {
namespace {

bool in_foreground() { return tcgetpgrp(STDIN_FILENO) == getpgrp(); }

// The agent opens stdin in the same way (RankStreams). O_NONBLOCK: a pipe without a writer would block.
bool can_be_opened_again() {
  return UniqueFd(open("/proc/self/fd/0", O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)).valid();
}

bool is_null(const struct stat& file) {
  return S_ISCHR(file.st_mode) && major(file.st_rdev) == 1 && minor(file.st_rdev) == 3;  // mem(4)
}

CallerInput source(int descriptor, const StdinChoice& choice) {
  return {getpid(), start_ticks(getpid()).value_or(0), static_cast<uint32_t>(descriptor), choice.rank};
}

// An open file without a name, which is gone when the last process closes it.
UniqueFd nameless_file(const CallerContext& caller) {
  const std::string folder = caller.variable("TMPDIR").value_or("/tmp");
  return UniqueFd(open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
}

Result<CallerStdin> copy_of_all(const CallerContext& caller, const StdinChoice& choice) {
  UniqueFd file = nameless_file(caller);
  if (!file.valid())
    return errno_status(errno, "cannot create a temporary file for a copy of stdin; set TMPDIR to another folder");
  std::array<char, 65536> buffer{};
  ssize_t length = 0;
  while ((length = read(STDIN_FILENO, buffer.data(), buffer.size())) != 0) {
    if (length < 0 && errno == EINTR) continue;
    if (length < 0) return errno_status(errno, "cannot read stdin");
    const int error = write_all(file.get(), {buffer.data(), static_cast<size_t>(length)});
    if (error != 0) return errno_status(error, "cannot write a copy of stdin; set TMPDIR to another folder");
  }
  lseek(file.get(), 0, SEEK_SET);
  const CallerInput input = source(file.release(), choice);
  return CallerStdin{input, UniqueFd()};
}

Result<CallerStdin> piped(const StdinChoice& choice) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return errno_status(errno, "cannot open a pipe for stdin");
  fcntl(ends[1], F_SETFL, O_NONBLOCK);
  return CallerStdin{source(ends[0], choice), UniqueFd(ends[1])};
}

}  // namespace

Result<StdinChoice> parse_stdin_choice(const std::string& text) {
  if (text == "none") return StdinChoice{};
  if (text == "all") return StdinChoice{true, std::nullopt};
  const auto rank = parse_number("--stdin", text);
  if (!rank.ok() || *rank > UINT32_MAX)
    return Status(Code::invalid_argument,
                  "--stdin needs the number of a rank, all or none, not `" + escaped(text) + "`");
  return StdinChoice{false, static_cast<Rank>(*rank)};
}

std::optional<CallerWindow> window_here(const CallerContext& caller, bool reads) {
  if (!caller.stdout_tty || !caller.stderr_tty || !same_place(STDOUT_FILENO, STDERR_FILENO)) return std::nullopt;
  return CallerWindow{caller.rows, caller.columns, reads && caller.stdin_tty && in_foreground()};
}

Result<CallerStdin> stdin_for_ranks(const CallerContext& caller, const StdinChoice& choice) {
  struct stat file {};
  const bool empty = choice.none() || fstat(STDIN_FILENO, &file) != 0 || is_null(file);
  if (empty || (caller.stdin_tty && !in_foreground())) return CallerStdin{};
  const bool again = can_be_opened_again();
  if (choice.all && !(again && S_ISREG(file.st_mode))) return copy_of_all(caller, choice);
  if (again) return CallerStdin{source(STDIN_FILENO, choice), UniqueFd()};
  return piped(choice);
}

bool stdin_has_unread_data() {
  struct stat file {};
  if (fstat(STDIN_FILENO, &file) != 0) return false;
  if (S_ISREG(file.st_mode)) {
    const off_t at = lseek(STDIN_FILENO, 0, SEEK_CUR);
    return at >= 0 && at < file.st_size;
  }
  int waiting = 0;
  return (S_ISFIFO(file.st_mode) || S_ISSOCK(file.st_mode)) && ioctl(STDIN_FILENO, FIONREAD, &waiting) == 0 &&
         waiting > 0;
}

}  // namespace muster
