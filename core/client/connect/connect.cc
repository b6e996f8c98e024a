// SPDX-License-Identifier: Apache-2.0
#include "core/client/connect/connect.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "core/base/unix_socket.h"
#include "core/client/caller_context.h"
#include "core/client/connect/paths.h"
#include "core/client/connect/steady_client.h"
#include "core/client/service_environment.h"
#include "core/system/asio/fd_loop.h"
#include "core/system/store/state_lock.h"
#include "core/wire/grpc_control_client.h"

namespace muster {
namespace {

constexpr int kStartPatienceMs = 10'000;
constexpr int kLookAgainMs = 2;
// A controller that we find may be idle and just exiting; then connecting is tried again.
constexpr int kRounds = 200;
constexpr int kRoundPauseMs = 20;
constexpr auto kLongSilence = std::chrono::seconds(3);

// Starts `muster serve` in a new session. Its stderr, used until its log is open, is `errors`.
Result<pid_t> start_controller(const CallerContext& caller, int errors) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&files, errors, 2);
  // Inherits no descriptor and no folder: the controller runs for long and would keep the shell's locks and pipes open
  // and its working folder busy.
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
  std::vector<std::string> words = words_of_program(caller);
  words.emplace_back("serve");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  std::vector<std::string> variables = service_environment(caller.environment);
  std::vector<char*> environment;
  for (std::string& variable : variables) environment.push_back(variable.data());
  environment.push_back(nullptr);
  pid_t pid = 0;
  const int error = posix_spawn(&pid, argv[0], &files, &attributes, argv.data(), environment.data());
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  if (error == EAGAIN)
    return Status(Code::resource_exhausted,
                  "cannot start the controller: this user may have no more processes. Raise the limit: ulimit -u 4096");
  if (error != 0) return errno_status(error, "cannot start the controller " + caller.program);
  return pid;
}

std::string read_all(int fd) {
  std::string text;
  char buffer[4096];
  for (ssize_t n = 0; (n = read(fd, buffer, sizeof buffer)) > 0;) text.append(buffer, static_cast<size_t>(n));
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text.starts_with("error: ") ? text.substr(7) : text;
}

// Waits until a controller listens at `path`. If the started controller exits before that, it lost the race to another
// one (aborted) or has printed an error to `errors` (unavailable).
Status wait_for_listener(const std::string& path, int errors) {
  pollfd ended{errors, POLLIN, 0};
  for (int waited = 0; waited < kStartPatienceMs; waited += kLookAgainMs) {
    if (has_listener(path)) return Status();
    if (poll(&ended, 1, kLookAgainMs) == 0) continue;
    const std::string text = read_all(errors);
    if (has_listener(path)) return Status();
    // No error: it was idle and exited at once. Or another controller holds the lock: it listens soon, or is exiting.
    const bool retry = text.empty() || text.find("already serves") != std::string::npos;
    return retry ? Status(Code::aborted, text) : Status(Code::unavailable, "the controller could not start: " + text);
  }
  return Status(Code::unavailable, "the controller did not answer within 10 s; to find the cause: muster doctor");
}

Status ensure_controller(const CallerContext& caller, const std::string& path) {
  if (has_listener(path)) return Status();
  int pipe_ends[2];
  if (pipe2(pipe_ends, O_CLOEXEC) != 0) return errno_status(errno, "pipe");
  const Result<pid_t> pid = start_controller(caller, pipe_ends[1]);
  close(pipe_ends[1]);
  const Status status = pid.ok() ? wait_for_listener(path, pipe_ends[0]) : pid.status();
  close(pipe_ends[0]);
  // Reaps the controller if it has already exited; otherwise init inherits it when this process ends.
  if (pid.ok()) waitpid(*pid, nullptr, WNOHANG);
  return status;
}

// True if the controller has a lower resource limit than this process: ranks inherit the controller's limits.
bool has_lower_limits(const ControllerInfo& info, const CallerContext& caller) {
  return std::any_of(caller.means.begin(), caller.means.end(), [&](const auto& ours) {
    const auto theirs = info.means.find(ours.first);
    return theirs != info.means.end() && theirs->second < ours.second;
  });
}

// The controller's socket accepts connections (the kernel does that), but the controller does not answer: the process
// is stopped, or the machine was suspended. Retrying does not help.
Status no_answer(const std::string& state) {
  const std::string pid = lock_holder(state);
  return Status(Code::unavailable, "the controller" + (pid.empty() ? "" : " (pid " + pid + ")") +
                                       " does not answer; if it was stopped: kill -CONT " +
                                       (pid.empty() ? "PID" : pid) +
                                       "; otherwise kill -9 it: jobs continue, and the next command starts a new one");
}

// Checks that this command can use the controller. aborted: connect again. An idle controller of another build or with
// lower limits is shut down, so that a new one is started; one with live jobs is used as it is. The request also keeps
// an idle controller from exiting before the command's own call.
Status serves_us(const CallerContext& caller, ControllerClient& client, const WirePaths& paths) {
  const auto asked = std::chrono::steady_clock::now();
  const Result<ControllerInfo> info = client.info();
  // A controller that exits closes the connection at once.
  const bool waited_long = std::chrono::steady_clock::now() - asked > kLongSilence;
  if (!info.ok() && waited_long) return no_answer(paths.state);
  if (!info.ok()) return Status(Code::aborted, info.status().message());
  const bool fits = info->binary_hash == binary_hash(caller) && !has_lower_limits(*info, caller);
  if (fits || info->live_jobs > 0) return Status();
  if (!client.shutdown(false).ok()) return Status();
  for (int waited = 0; waited < kStartPatienceMs && has_listener(paths.socket); waited += kLookAgainMs) {
    poll(nullptr, 0, kLookAgainMs);
  }
  return Status(Code::aborted, "a controller of another build or with lower limits was shut down");
}

// Connects to the user's controller and starts one if none runs.
Result<std::unique_ptr<ControlClient>> find_controller(const CallerContext& caller, FdLoop& loop,
                                                       const WirePaths& paths) {
  Status status;
  for (int round = 0; round < kRounds; ++round) {
    // Usually a controller runs: in the first round the request itself is the check.
    status = round == 0 ? Status() : ensure_controller(caller, paths.socket);
    auto client = std::make_unique<GrpcControlClient>(loop, paths.socket);
    if (status.ok()) status = serves_us(caller, *client, paths);
    if (status.ok()) return std::unique_ptr<ControlClient>(std::move(client));
    if (status.code() != Code::aborted) return status;
    if (round > 0) poll(nullptr, 0, kRoundPauseMs);
  }
  return Status(Code::unavailable,
                "cannot connect to a controller: " + status.message() + "; to find the cause: muster doctor");
}

}  // namespace

Result<std::unique_ptr<ControlClient>> connect_controller(const CallerContext& caller, FdLoop& loop, bool start) {
  keep_grpc();
  const Result<WirePaths> paths = wire_paths(caller);
  if (!paths.ok()) return paths.status();
  if (!start) {
    if (!has_listener(paths->socket)) return Status(Code::unavailable, "no controller is running");
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
    if (!has_listener(socket)) continue;
    auto client = std::make_unique<GrpcControlClient>(loop, socket);
    const auto info = client->info();
    const auto found = info.ok() && info->live_jobs > 0 ? client->describe(job) : Status(Code::not_found, "");
    if (found.ok() && !found->done) return client;
  }
  return nullptr;
}

}  // namespace muster
