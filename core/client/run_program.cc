// SPDX-License-Identifier: Apache-2.0
#include "core/client/run_program.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <utility>

#include "core/base/text.h"
#include "core/system/linux/pidfd.h"
#include "core/system/posix/ignored_signals.h"
#include "core/system/posix/program_search.h"
#include "core/system/posix/shell_code.h"

namespace muster {
namespace {

using Clock = std::chrono::steady_clock;

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

// Starts the program in its own process group, so that its children are killed with it, and without the signals that muster ignores.
int spawn(const std::string& path, const HelperProgram& program, int out, bool quiet, pid_t& pid) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (program.input < 0) posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  if (program.input >= 0) posix_spawn_file_actions_adddup2(&actions, program.input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  if (quiet) posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  if (!program.workdir.empty()) posix_spawn_file_actions_addchdir_np(&actions, program.workdir.c_str());
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  const sigset_t defaults = ignored_signal_set();
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  std::vector<std::string> argv = program.argv;
  std::vector<std::string> variables;
  for (const auto& [name, value] : program.environment) variables.push_back(name + "=" + value);
  const int error =
      posix_spawn(&pid, path.c_str(), &actions, &attributes, pointers(argv).data(), pointers(variables).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

// False: the deadline passed before the end of its output.
bool read_to_end(int fd, const HelperProgram& program, Clock::time_point deadline, std::string& out) {
  std::array<char, 65536> buffer{};
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd readable{fd, POLLIN, 0};
    const int ready = left > 0 ? poll(&readable, 1, static_cast<int>(left)) : 0;
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return false;
    const ssize_t length = read(fd, buffer.data(), buffer.size());
    if (length < 0 && errno == EINTR) continue;
    if (length <= 0) return true;
    const size_t room = program.most_output - std::min(program.most_output, out.size());
    out.append(buffer.data(), std::min(room, static_cast<size_t>(length)));
  }
}

// A program may close its stdout and continue to run: waits until the deadline. False: it is still running.
bool reap(pid_t pid, Clock::time_point deadline, int& status) {
  const UniqueFd process = open_pidfd(pid);
  while (true) {
    const pid_t ended = waitpid(pid, &status, WNOHANG);
    if (ended == pid || (ended < 0 && errno != EINTR)) return true;
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    pollfd over{process.get(), POLLIN, 0};
    poll(&over, 1, process.get() < 0 ? 2 : static_cast<int>(left));  // kernels before 5.3 have no pidfd
  }
}

}  // namespace

StartedProgram::StartedProgram(HelperProgram program, UniqueFd out)
    : program_(std::move(program)),
      out_(std::move(out)),
      deadline_(Clock::now() + program_.patience) {}

Result<std::unique_ptr<StartedProgram>> StartedProgram::start(HelperProgram program, bool quiet) {
  const auto path_variable = program.environment.find("PATH");
  const std::string path = find_program(
      program.argv.at(0), path_variable == program.environment.end() ? "" : path_variable->second, program.workdir);
  if (path.empty()) return Status(Code::not_found, "`" + program.argv[0] + "` is not in PATH");
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return errno_status(errno, "pipe");
  const UniqueFd in(ends[1]);
  std::unique_ptr<StartedProgram> started(new StartedProgram(std::move(program), UniqueFd(ends[0])));
  const int error = spawn(path, started->program_, in.get(), quiet, started->pid_);
  if (error == 0) {
    if (started->program_.nice > 0) setpriority(PRIO_PROCESS, static_cast<id_t>(started->pid_), started->program_.nice);
    return started;
  }
  started->pid_ = 0;
  return errno_status(error, "cannot start `" + path + "`");
}

StartedProgram::~StartedProgram() { kill_all(); }

void StartedProgram::kill_all() {
  const pid_t pid = std::exchange(pid_, 0);
  if (pid == 0) return;
  kill(-pid, SIGKILL);
  waitpid(pid, nullptr, 0);
}

Result<HelperResult> StartedProgram::result() {
  HelperResult result;
  int status = 0;
  if (read_to_end(out_.get(), program_, deadline_, result.out) && reap(pid_, deadline_, status)) {
    pid_ = 0;
    result.exit_code = shell_code(status);
    return result;
  }
  kill_all();
  return Status(Code::deadline_exceeded,
                "`" + join(program_.argv, " ") + "` did not end within " + humane_duration(program_.patience));
}

Result<HelperResult> run_program(const HelperProgram& program, bool quiet) {
  auto started = StartedProgram::start(program, quiet);
  return started.ok() ? (*started)->result() : Result<HelperResult>(started.status());
}

std::string find_program(const std::string& name, const std::string& path, const std::string& workdir) {
  return find_executable(name, path.empty() ? "/usr/local/bin:/usr/bin:/bin" : path, workdir.empty() ? "." : workdir);
}

}  // namespace muster
