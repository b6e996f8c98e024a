// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/exec/exec_process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "core/system/linux/proc_files.h"
#include "core/system/linux/terminal/pseudo_terminal.h"

namespace muster {
namespace {

// Time between SIGHUP and SIGKILL, in which a shell saves its history.
constexpr Duration kHangUpGrace = std::chrono::seconds(1);
// Output to a terminal passes through a queue in the kernel, so it may arrive after the program's end.
constexpr Duration kTerminalPatience = std::chrono::milliseconds(100);

bool open_pipe(UniqueFd& reads, UniqueFd& writes) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return false;
  reads = above_stdio(UniqueFd(ends[0]));
  writes = above_stdio(UniqueFd(ends[1]));
  return reads.valid() && writes.valid();
}

bool make_nonblocking(const UniqueFd& fd) { return fcntl(fd.get(), F_SETFL, O_NONBLOCK) == 0; }

Result<ExecEnds> open_pipes() {
  ExecEnds ends;
  const bool open = open_pipe(ends.theirs[0], ends.input) && open_pipe(ends.output, ends.theirs[1]) &&
                    open_pipe(ends.errors, ends.theirs[2]) && make_nonblocking(ends.input) &&
                    make_nonblocking(ends.output) && make_nonblocking(ends.errors);
  if (!open) return errno_status(errno, "cannot open pipes");
  return ends;
}

Result<ExecEnds> open_terminal(uint16_t rows, uint16_t columns) {
  auto terminal = open_pseudo_terminal();
  if (!terminal.ok()) return terminal.status();
  if (rows > 0 && columns > 0) resize_terminal(terminal->ours.get(), rows, columns);
  ExecEnds ends;
  ends.input = UniqueFd(fcntl(terminal->ours.get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  if (!ends.input.valid()) return errno_status(errno, "cannot open a pseudo-terminal");
  ends.output = std::move(terminal->ours);
  ends.theirs[0] = std::move(terminal->process_side);
  return ends;
}

}  // namespace

Result<ExecEnds> open_exec_ends(bool tty, uint16_t rows, uint16_t columns) {
  return tty ? open_terminal(rows, columns) : open_pipes();
}

void ExecProcess::begin(ExecEnds ends, ProcessHandle handle) {
  handle_ = handle;
  pid_ = static_cast<pid_t>(processes_.identity(handle).pid);
  if (tty_) terminal_ = UniqueFd(fcntl(ends.output.get(), F_DUPFD_CLOEXEC, 0));
  output_ = open(std::move(ends.output), ExecStream::out);
  if (!tty_) errors_ = open(std::move(ends.errors), ExecStream::err);
  input_ = std::make_unique<ExecInput>(loop_, std::move(ends.input), tty_, [this](size_t bytes) {
    if (handlers_.taken) handlers_.taken(bytes);
  });
}

std::shared_ptr<ExecOutput> ExecProcess::open(UniqueFd fd, ExecStream stream) {
  return std::make_shared<ExecOutput>(
      loop_, std::move(fd),
      [this, stream](std::string_view bytes) {
        if (handlers_.printed) handlers_.printed(stream, bytes);
      },
      [this, stream] { closed(stream); });
}

void ExecProcess::closed(ExecStream stream) {
  const auto kept = shared_from_this();  // the handlers of the end may release us
  (stream == ExecStream::out ? output_ : errors_).reset();
  if (handlers_.closed) handlers_.closed(stream);
  tell_end();
}

void ExecProcess::exited(const ExitStatus& exit) {
  exit_ = exit;
  input_->close();
  if (output_) output_->program_ended(tty_ ? kTerminalPatience : Duration(0));
  if (errors_) errors_->program_ended(Duration(0));
  tell_end();
}

void ExecProcess::tell_end() {
  if (!exit_ || output_ || errors_) return;
  terminal_.reset();
  if (const auto ended = std::exchange(handlers_.ended, nullptr)) ended(*exit_);
}

void ExecProcess::allow(ExecStream stream, size_t bytes) {
  const auto& output = stream == ExecStream::out ? output_ : errors_;
  if (output) output->allow(bytes);
}

void ExecProcess::resize(uint16_t rows, uint16_t columns) {
  if (terminal_.valid()) resize_terminal(terminal_.get(), rows, columns);
}

void ExecProcess::signal(int number) { processes_.signal(handle_, number, SignalReach::group); }

void ExecProcess::silence() {
  handlers_ = {};
  if (output_) output_->close();
  if (errors_) errors_->close();
  output_.reset();
  errors_.reset();
  terminal_.reset();
  if (input_) input_->close();
}

void ExecProcess::hang_up() {
  if (std::exchange(hung_up_, true)) return;
  signal_session(SIGHUP);
  // A stopped process must be continued to receive the SIGHUP.
  signal_session(SIGCONT);
  loop_.at(loop_.now() + kHangUpGrace, [self = shared_from_this()] { self->signal_session(SIGKILL); });
}

// Signals every process of the session, since background jobs of a shell have process groups of their own. If the leader's
// pid was reused after its end, nothing is signalled.
void ExecProcess::signal_session(int number) {
  if (!exit_) processes_.signal(handle_, number, SignalReach::group);
  if (exit_ && read_stat(pid_)) return;
  for (const pid_t pid : all_processes()) {
    const auto stat = read_stat(pid);
    if (stat && stat->session == pid_ && pid != pid_) kill(pid, number);
  }
}

}  // namespace muster
