// SPDX-License-Identifier: Apache-2.0
#include "core/system/asio/helper_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <boost/process/args.hpp>
#include <boost/process/child.hpp>
#include <boost/process/env.hpp>
#include <boost/process/exe.hpp>
#include <boost/process/extend.hpp>
#include <boost/process/handles.hpp>
#include <boost/process/posix.hpp>

#include "core/system/posix/ignored_signals.h"
#include "core/system/posix/shell_code.h"
#include "core/system/posix/signals_blocked.h"

namespace muster {
namespace {

namespace bp = boost::process;

constexpr size_t kMostErrors = 16 * 1024;
constexpr int kAskedToEnd = 200;  // milliseconds until it is killed

struct Pair {
  UniqueFd ours;
  UniqueFd theirs;
};

// A connected socket pair; each end can be shut down. Our end is non-blocking.
Result<Pair> open_pair() {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return errno_status(errno, "socketpair");
  Pair pair{UniqueFd(ends[0]), UniqueFd(ends[1])};
  fcntl(pair.ours.get(), F_SETFL, O_NONBLOCK);
  return pair;
}

bp::environment environment_of(const std::map<std::string, std::string>& variables) {
  bp::environment environment;
  for (const auto& [name, value] : variables) environment[name] = value;
  return environment;
}

// Restores the signals that muster ignores and an empty signal mask in the child; this process uses another mask for its loop.
struct OwnSignals : bp::extend::handler {
  explicit OwnSignals(bool leave) : apart(leave) {}
  template <typename Executor>
  void on_exec_setup(Executor&) const {
    for (const int number : kIgnoredSignals) signal(number, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    if (!apart) return;
    setsid();
    prctl(PR_SET_PDEATHSIG, SIGTERM);  // replaces the terminal's SIGHUP
  }
  const bool apart;
};

}  // namespace

struct HelperProcess::Impl {
  FdLoop& loop;
  std::function<void(const HelperEnd&)> ended;
  std::function<void(std::string_view)> on_errors;
  bp::child child;
  UniqueFd pidfd;
  UniqueFd stream;
  UniqueFd errors;
  std::string said;
  std::unique_ptr<LoopWatch> over;
  std::unique_ptr<LoopWatch> speaks;

  Status spawn(const HelperCommand& command, const Pair& stdio, const Pair& stderr_pair) {
    // Checked here, because limit_handles also closes the pipe that would report a failed exec.
    if (access(command.program.c_str(), X_OK) != 0)
      return errno_status(errno, "cannot start `" + command.program + "`");
    const SignalsBlocked blocked;
    std::error_code error;
    child = bp::child(bp::exe = command.program, bp::args = command.arguments, environment_of(command.environment),
                      bp::posix::fd.bind(STDIN_FILENO, stdio.theirs.get()),
                      bp::posix::fd.bind(STDOUT_FILENO, stdio.theirs.get()),
                      bp::posix::fd.bind(STDERR_FILENO, stderr_pair.theirs.get()), bp::limit_handles,
                      OwnSignals(command.apart), error);
    if (error) return errno_status(error.value(), "cannot start `" + command.program + "`");
    pidfd = UniqueFd(static_cast<int>(syscall(SYS_pidfd_open, child.id(), 0)));
    return pidfd.valid() ? Status() : errno_status(errno, "cannot watch `" + command.program + "`");
  }

  void listen() {
    std::array<char, 4096> buffer{};
    const ssize_t length = read(errors.get(), buffer.data(), buffer.size());
    if (length < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (length <= 0) return speaks.reset();
    const std::string_view bytes(buffer.data(), static_cast<size_t>(length));
    if (on_errors) on_errors(bytes);
    said.append(bytes);
    if (said.size() > kMostErrors) said.erase(0, said.size() - kMostErrors);
  }

  // Asio reuses its state of a descriptor number, so a watch may get an event of an earlier descriptor. Checking first
  // avoids waiting forever for a program that still runs.
  bool lives() const {
    pollfd gone{pidfd.get(), POLLIN, 0};
    return poll(&gone, 1, 0) == 0;
  }

  void finish() {
    if (lives()) return;
    over.reset();
    while (speaks && errors.valid() && drain()) listen();
    std::error_code ignored;
    child.wait(ignored);
    HelperEnd end{shell_code(child.native_exit_code()), std::move(said)};
    speaks.reset();
    const auto tell = std::exchange(ended, nullptr);
    tell(end);
  }

  // True if its stderr has more bytes. Does not wait for its end: a child of the program may keep it open for long.
  bool drain() const {
    char byte = 0;
    return recv(errors.get(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
  }
};

HelperProcess::HelperProcess(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Result<std::unique_ptr<HelperProcess>> HelperProcess::start(FdLoop& loop, const HelperCommand& command,
                                                            std::function<void(const HelperEnd&)> ended) {
  Result<Pair> stdio = open_pair();
  Result<Pair> errors = open_pair();
  if (!stdio.ok()) return stdio.status();
  if (!errors.ok()) return errors.status();
  auto impl = std::make_unique<Impl>(Impl{loop, std::move(ended), command.on_errors, {}, {}, {}, {}, {}, {}, {}});
  if (const Status spawned = impl->spawn(command, *stdio, *errors); !spawned.ok()) return spawned;
  impl->stream = std::move(stdio->ours);
  impl->errors = std::move(errors->ours);
  std::unique_ptr<HelperProcess> process(new HelperProcess(std::move(impl)));
  Impl& self = *process->impl_;
  self.speaks = loop.watch_readable(self.errors.get(), [&self] { self.listen(); });
  self.over = loop.watch_readable(self.pidfd.get(), [&self] { self.finish(); });
  if (!self.over || !self.speaks)
    return Status(Code::resource_exhausted, "no file descriptors left to watch `" + command.program + "`");
  return process;
}

HelperProcess::~HelperProcess() {
  if (!impl_->child.valid()) return;
  if (impl_->ended == nullptr) return;
  // SIGTERM first: a program that reads a passphrase has switched off the terminal's echo, and then restores it
  // (readpassphrase(3)).
  kill(impl_->child.id(), SIGTERM);
  pollfd gone{impl_->pidfd.get(), POLLIN, 0};
  std::error_code ignored;
  if (poll(&gone, 1, kAskedToEnd) == 1) {
    impl_->child.wait(ignored);
  } else {
    impl_->child.terminate(ignored);
  }
}

UniqueFd HelperProcess::take_stream() { return std::move(impl_->stream); }

}  // namespace muster
