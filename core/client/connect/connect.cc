#include "core/client/connect/connect.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "core/base/unix_socket.h"
#include "core/client/caller_context.h"
#include "core/client/connect/paths.h"
#include "core/client/connect/steady_client.h"
#include "core/system/asio/fd_loop.h"
#include "core/system/store/state_lock.h"
#include "core/wire/grpc_control_client.h"

namespace muster {
namespace {

constexpr int kStartPatienceMs = 10'000;
constexpr int kLookAgainMs = 2;
// A controller may be on its way out, being idle, when we find it.
constexpr int kRounds = 200;
constexpr int kRoundPauseMs = 20;
constexpr auto kLongSilence = std::chrono::seconds(3);

bool somebody_listens(const std::string& path) {
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return false;
  const bool connected = connect_unix(fd, path) == 0;
  close(fd);
  return connected;
}

// `muster serve` in a session of its own; what it says before its log is open goes to `complaints`.
Result<pid_t> start_controller(const CallerContext& caller, int complaints) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&files, complaints, 2);
  // Nothing of the shell that happened to start it: a lock or pipe of the shell's would be held, and its folder be
  // busy, for as long as it lives.
  posix_spawn_file_actions_addclosefrom_np(&files, 3);
  posix_spawn_file_actions_addchdir_np(&files, "/");
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  sigset_t all;
  sigfillset(&all);
  posix_spawnattr_setsigdefault(&attributes, &all);
  std::string program = caller.program;
  std::string serve = "serve";
  char* argv[] = {program.data(), serve.data(), nullptr};
  pid_t pid = 0;
  const int error = posix_spawn(&pid, program.c_str(), &files, &attributes, argv, environ);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  if (error != 0) return errno_status(error, "the controller cannot be started: " + program);
  return pid;
}

std::string read_all(int fd) {
  std::string text;
  char buffer[4096];
  for (ssize_t n = 0; (n = read(fd, buffer, sizeof buffer)) > 0;) text.append(buffer, static_cast<size_t>(n));
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text.starts_with("error: ") ? text.substr(7) : text;
}

// Ends when somebody listens at `path`. A controller that ends first lost the race to another one, or says why on
// `complaints`.
Status wait_for_listener(const std::string& path, int complaints) {
  pollfd ended{complaints, POLLIN, 0};
  for (int waited = 0; waited < kStartPatienceMs; waited += kLookAgainMs) {
    if (somebody_listens(path)) return Status();
    if (poll(&ended, 1, kLookAgainMs) == 0) continue;
    const std::string text = read_all(complaints);
    if (somebody_listens(path)) return Status();
    // It was idle and left at once, or another one holds the lock: it is about to listen, or on its way out.
    const bool passing = text.empty() || text.find("already serves") != std::string::npos;
    return passing ? Status(Code::aborted, text) : Status(Code::unavailable, "the controller could not start: " + text);
  }
  return Status(Code::unavailable, "the controller did not answer within 10 s; muster doctor tells more");
}

Status ensure_controller(const CallerContext& caller, const std::string& path) {
  if (somebody_listens(path)) return Status();
  int pipe_ends[2];
  if (pipe2(pipe_ends, O_CLOEXEC) != 0) return errno_status(errno, "pipe");
  const Result<pid_t> pid = start_controller(caller, pipe_ends[1]);
  close(pipe_ends[1]);
  const Status status = pid.ok() ? wait_for_listener(path, pipe_ends[0]) : pid.status();
  close(pipe_ends[0]);
  // Reaped if it ended already; else init inherits it when we end.
  if (pid.ok()) waitpid(*pid, nullptr, WNOHANG);
  return status;
}

// It was started by a shell with lower limits than ours, which our ranks would inherit.
bool is_poorer(const ControllerInfo& info, const CallerContext& caller) {
  return std::any_of(caller.means.begin(), caller.means.end(), [&](const auto& ours) {
    const auto theirs = info.means.find(ours.first);
    return theirs != info.means.end() && theirs->second < ours.second;
  });
}

// It listens, since the kernel does that for it, and says nothing: stopped, or its machine is. Waiting for it again and
// again would help nobody.
Status deaf(const std::string& state) {
  const std::string pid = lock_holder(state);
  return Status(Code::unavailable, "the controller" + (pid.empty() ? "" : " (pid " + pid + ")") +
                                       " does not answer; if it was stopped: kill -CONT " +
                                       (pid.empty() ? "PID" : pid) +
                                       ", or kill -9: jobs go on and the next one takes over");
}

// aborted: find it again. An idle controller of another build, or a poorer one, is ended, so that ours takes its place;
// one with live jobs is left to them. Being asked keeps it from leaving before the command's own call.
Status serves_us(const CallerContext& caller, ControllerClient& client, const WirePaths& paths) {
  const auto asked = std::chrono::steady_clock::now();
  const Result<ControllerInfo> info = client.info();
  const bool waited_long = std::chrono::steady_clock::now() - asked > kLongSilence;  // one that leaves hangs up at once
  if (!info.ok() && waited_long) return deaf(paths.state);
  if (!info.ok()) return Status(Code::aborted, info.status().message());
  const bool fits = info->binary_hash == binary_hash(caller) && !is_poorer(*info, caller);
  if (fits || info->live_jobs > 0) return Status();
  if (!client.shutdown(false).ok()) return Status();
  for (int waited = 0; waited < kStartPatienceMs && somebody_listens(paths.socket); waited += kLookAgainMs) {
    poll(nullptr, 0, kLookAgainMs);
  }
  return Status(Code::aborted, "another one takes its place");
}

// The user's controller, started when absent.
Result<std::unique_ptr<ControlClient>> find_controller(const CallerContext& caller, FdLoop& loop,
                                                       const WirePaths& paths) {
  Status status;
  for (int round = 0; round < kRounds; ++round) {
    // Mostly one is there, and to ask it is all the look that it takes.
    status = round == 0 ? Status() : ensure_controller(caller, paths.socket);
    auto client = std::make_unique<GrpcControlClient>(loop, paths.socket);
    if (status.ok()) status = serves_us(caller, *client, paths);
    if (status.ok()) return std::unique_ptr<ControlClient>(std::move(client));
    if (status.code() != Code::aborted) return status;
    if (round > 0) poll(nullptr, 0, kRoundPauseMs);
  }
  return Status(Code::unavailable, "no controller is to be had: " + status.message() + "; muster doctor tells more");
}

}  // namespace

Result<std::unique_ptr<ControlClient>> connect_controller(const CallerContext& caller, FdLoop& loop, bool start) {
  keep_grpc();
  const Result<WirePaths> paths = wire_paths(caller);
  if (!paths.ok()) return paths.status();
  if (!start) {
    if (!somebody_listens(paths->socket)) return Status(Code::unavailable, "no controller is running");
    return std::unique_ptr<ControlClient>(std::make_unique<GrpcControlClient>(loop, paths->socket));
  }
  const SteadyClient::Connect connect = [&caller, &loop, paths = *paths] {
    return find_controller(caller, loop, paths);
  };
  Result<std::unique_ptr<ControlClient>> client = connect();
  if (!client.ok()) return client;
  return std::unique_ptr<ControlClient>(std::make_unique<SteadyClient>(std::move(*client), connect));
}

std::unique_ptr<ControlClient> connect_host_of(const CallerContext& caller, FdLoop& loop, const std::string& job) {
  const Result<WirePaths> paths = wire_paths(caller);
  if (!paths.ok()) return nullptr;
  for (const std::string& socket : standalone_sockets(paths->runtime)) {
    if (!somebody_listens(socket)) continue;
    auto client = std::make_unique<GrpcControlClient>(loop, socket);
    const auto info = client->info();
    const auto found = info.ok() && info->live_jobs > 0 ? client->describe(job) : Status(Code::not_found, "");
    if (found.ok() && !found->done) return client;
  }
  return nullptr;
}

}  // namespace muster
