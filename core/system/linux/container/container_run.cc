// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/container/container_run.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <utility>

#include "core/system/linux/process/spawn.h"

namespace muster {
namespace {

constexpr size_t kLongestLine = 4096;

// Our parent reaps the program, so its exit code does not come to us. A shell writes it into descriptor 3, which the program and what
// it leaves running do not have.
constexpr const char* kShell = R"("$@" 3>&-; echo $? >&3)";

struct Pipe {
  UniqueFd read;
  UniqueFd write;
};

Result<Pipe> open_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return errno_status(errno, "pipe");
  return Pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

void set_nonblocking(const UniqueFd& fd) { fcntl(fd.get(), F_SETFL, O_NONBLOCK); }

SpawnRequest shell_request(const std::vector<std::string>& argv, const std::map<std::string, std::string>& environment,
                           int code) {
  SpawnRequest request;
  request.argv = {"/bin/sh", "-c", kShell, "sh"};
  request.argv.insert(request.argv.end(), argv.begin(), argv.end());
  for (const auto& [name, value] : environment) request.environment.push_back(name + "=" + value);
  request.workdir = "/";
  request.own_session = true;
  request.dies_with_us = false;  // it reads end of file, and then removes what it has made
  request.passed = code;
  return request;
}

}  // namespace

Result<std::unique_ptr<ContainerRun>> LinuxContainerRun::start(FdLoop& loop, const std::vector<std::string>& argv,
                                                               const std::map<std::string, std::string>& environment,
                                                               ContainerRunEvents events) {
  std::array<Pipe, 4> pipes;
  for (Pipe& each : pipes) {
    Result<Pipe> opened = open_pipe();
    if (!opened.ok()) return opened.status();
    each = std::move(*opened);
  }
  auto& [in, out, errors, code] = pipes;
  SpawnSetting setting{.stdio = {in.read.get(), out.write.get(), errors.write.get()}, .sibling = true};
  getrlimit(RLIMIT_NOFILE, &setting.open_files);
  const auto spawned = spawn_process(shell_request(argv, environment, code.write.get()), setting);
  if (!spawned.ok()) return spawned.status();
  std::unique_ptr<LinuxContainerRun> run(new LinuxContainerRun(loop, std::move(events)));
  run->pid_ = static_cast<pid_t>(spawned->identity.pid);
  run->input_ = std::move(in.write);
  run->out_.fd = std::move(out.read);
  run->errors_.fd = std::move(errors.read);
  run->code_ = std::move(code.read);
  for (const UniqueFd* fd : {&run->out_.fd, &run->errors_.fd, &run->code_}) set_nonblocking(*fd);
  code.write.reset();
  run->over_ = loop.watch_readable(run->code_.get(), [self = run.get()] { self->read_code(); });
  const bool heard = run->watch(run->out_, run->events_.printed) && run->watch(run->errors_, run->events_.said);
  if (!run->over_ || !heard)
    return Status(Code::resource_exhausted, "no file descriptors left to run `" + argv[0] + "`");
  return std::unique_ptr<ContainerRun>(std::move(run));
}

LinuxContainerRun::~LinuxContainerRun() {
  *alive_ = false;
  if (pid_ > 0) kill(-pid_, SIGKILL);
}

bool LinuxContainerRun::watch(Lines& lines, const std::function<void(const std::string&)>& heard) {
  lines.watch = loop_.watch_readable(lines.fd.get(), [this, &lines, &heard] { take(lines, heard); });
  return lines.watch != nullptr;
}

bool LinuxContainerRun::take(Lines& lines, const std::function<void(const std::string&)>& heard) {
  std::array<char, 4096> buffer{};
  const ssize_t length = read(lines.fd.get(), buffer.data(), buffer.size());
  if (length < 0) return false;
  if (length == 0) {
    lines.watch.reset();
    const std::string last = std::exchange(lines.rest, "");
    if (!last.empty() && heard) heard(last);
    return false;
  }
  lines.rest.append(buffer.data(), static_cast<size_t>(length));
  // The handler may destroy this object.
  const auto alive = alive_;
  for (size_t end = lines.rest.find_first_of("\r\n"); end != std::string::npos;
       end = lines.rest.find_first_of("\r\n")) {
    const std::string line = lines.rest.substr(0, end);
    lines.rest.erase(0, end + 1);
    if (!line.empty() && heard) heard(line);
    if (!*alive) return false;
  }
  if (lines.rest.size() > kLongestLine) lines.rest.clear();
  return true;
}

void LinuxContainerRun::read_code() {
  std::array<char, 16> buffer{};
  const ssize_t length = read(code_.get(), buffer.data(), buffer.size());
  if (length < 0 && (errno == EAGAIN || errno == EINTR)) return;
  int code = -1;
  if (length > 0) std::from_chars(buffer.data(), buffer.data() + length, code);
  over_.reset();
  pid_ = 0;
  const auto alive = alive_;
  const auto drain = [&](Lines& lines, const auto& heard) {
    while (*alive && take(lines, heard)) continue;
    if (!*alive) return;
    lines.watch.reset();
    // The shell that reported the code may still hold the other end open, so no end of file came.
    const std::string last = std::exchange(lines.rest, "");
    if (!last.empty() && heard) heard(last);
  };
  drain(out_, events_.printed);
  if (*alive) drain(errors_, events_.said);
  if (!*alive) return;
  // A copy: the handler may destroy this object.
  const auto ended = events_.ended;
  ended(code);
}

}  // namespace muster
