// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/terminal/rank_streams.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "core/system/linux/proc_files.h"
#include "core/system/linux/terminal/pseudo_terminal.h"

namespace muster {
namespace {

// The offset at which the command's descriptor stands (proc(5), fdinfo).
off_t offset_of(const std::string& process, const std::string& descriptor) {
  const std::string text = read_small_file(process + "/fdinfo/" + descriptor).value_or("");
  return text.starts_with("pos:") ? static_cast<off_t>(std::strtoll(text.c_str() + 4, nullptr, 10)) : 0;
}

// A pipe whose writers have ended would block open(2) for ever without O_NONBLOCK.
UniqueFd open_blocking(const std::string& path) {
  UniqueFd fd = above_stdio(UniqueFd(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)));
  if (fd.valid()) fcntl(fd.get(), F_SETFL, fcntl(fd.get(), F_GETFL) & ~O_NONBLOCK);
  return fd;
}

// Opened by name in /proc: no descriptor can be sent to an agent that waits for its next job.
Result<UniqueFd> open_source(const CallerInput& source) {
  const std::string pid = std::to_string(source.pid);
  const std::string what = "stdin of the command that started the job (process " + pid + ")";
  const std::string process = "/proc/" + pid;
  const std::string descriptor = std::to_string(source.descriptor);
  UniqueFd fd = open_blocking(process + "/fd/" + descriptor);
  const int error = errno;
  const off_t offset = offset_of(process, descriptor);
  if (start_ticks(static_cast<pid_t>(source.pid)) != source.start_ticks)
    return Status(Code::not_found, "cannot give the rank its stdin: the command that started the job (process " + pid +
                                       ") has ended. Start the job again");
  if (!fd.valid()) return errno_status(error, "cannot open the " + what);
  if (offset > 0) lseek(fd.get(), offset, SEEK_SET);
  return fd;
}

// A rank that reads alone continues where the one before it ended. If every rank reads a copy, each has its own offset.
UniqueFd descriptor_for(const CallerInput& source, int opened) {
  if (source.rank) return UniqueFd(fcntl(opened, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  UniqueFd own = open_blocking("/proc/self/fd/" + std::to_string(opened));
  if (own.valid()) lseek(own.get(), lseek(opened, 0, SEEK_CUR), SEEK_SET);
  return own;
}

Result<UniqueFd> open_input(RankInput& input) {
  if (!input.opened) {
    auto fd = open_source(input.source);
    if (!fd.ok()) return fd.status();
    input.opened = std::make_shared<UniqueFd>(std::move(*fd));
  }
  UniqueFd own = descriptor_for(input.source, std::static_pointer_cast<UniqueFd>(input.opened)->get());
  if (!own.valid()) return errno_status(errno, "cannot open the rank's stdin");
  return own;
}

}  // namespace

Result<RankStreams> RankStreams::open(FdLoop& loop, Log& log, const SpawnRequest& request, KeptTerminals* kept) {
  RankStreams streams;
  if (request.tty) {
    auto terminal = Terminal::open(loop, log, request.stdout_path, request.window, kept);
    if (!terminal.ok()) return terminal.status();
    streams.terminal_ = std::move(*terminal);
    streams.terminal_->on_wait(request.output_waits);
    streams.side_ = streams.terminal_->take_process_side();
    streams.controls_ = !request.window;
    streams.typed_ = request.window && request.window->keys;
  }
  if (!request.input || streams.controls_ || streams.typed_) return streams;
  auto input = open_input(*request.input);
  if (!input.ok()) return input.status();
  streams.input_ = std::move(*input);
  return streams;
}

std::array<int, 3> RankStreams::stdio() const {
  std::array<int, 3> fds{input_.get(), -1, -1};
  if (!side_.valid() || controls_) return fds;
  fds[1] = fds[2] = side_.get();
  if (typed_) fds[0] = side_.get();
  return fds;
}

}  // namespace muster
