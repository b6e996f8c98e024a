// SPDX-License-Identifier: Apache-2.0
#include "backends/ssh/relay/relay.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <iostream>

#include "backends/ssh/relay/agent_start.h"
#include "backends/ssh/relay/agent_watch.h"
#include "backends/ssh/relay/byte_pump.h"
#include "backends/ssh/relay/link_place.h"
#include "core/base/text.h"
#include "core/base/unix_socket.h"
#include "core/client/connect/paths.h"
#include "core/job/exit_status.h"
#include "core/port/host_link.h"
#include "core/system/asio/asio_loop.h"
#include "core/system/linux/process/linux_process_host.h"
#include "core/system/linux/runtime_folder.h"

namespace muster {
namespace {

constexpr int kPollMs = 100;
constexpr int kLeavingPolls = 30;  // after the agent has closed its connection: it ends or reconnects
constexpr int kEndingPolls = 250;  // after the agent was killed: its ranks have to end first

// Set by SIGTERM to a relay inside a job: the job of its agent is over.
volatile sig_atomic_t told_to_end = 0;

int fail(const Status& status) {
  std::cerr << status.message() << "\n";
  return kRelayFailed;
}

Result<UniqueFd> listen_at(const std::string& path) {
  UniqueFd listener(listen_unix(path, 1));
  if (!listener.valid()) return errno_status(errno, "listen at " + path);
  return listener;
}

// Ends and removes what remains of an agent that was killed together with its guardian.
void sweep_after(const LinkPlace& place, const LinkTag& tag, const std::string& folder) {
  place.remove();
  remove_stale_sockets(folder);
  // This is about an earlier agent, and the node runs again: its processes belong to the new agent.
  if (another_lives(folder, tag)) return;
  AsioLoop loop;
  NullLog log;
  LinuxProcessHost host(loop, log, Orphans::ignored, std::nullopt);
  bool over = false;
  host.end_marked({"MUSTER_JOB_ID=" + tag.job.text(), "MUSTER_NODE=" + std::to_string(tag.node)}, [&] { over = true; });
  while (!over && loop.run_one()) continue;
}

// A guardian reports a signal as 128 + its number.
ExitStatus status_of(int code) {
  if (code <= 128) return {ExitStatus::Kind::exited, code};
  return {ExitStatus::Kind::signalled, 0, code - 128};
}

class Relay {
 public:
  Relay(const LinkPlace& place, const LinkTag& tag, const std::string& folder, AgentLock lock)
      : place_(place),
        tag_(tag),
        folder_(folder),
        lock_(std::move(lock)) {}

  // Runs until the agent has ended or the link is lost.
  int carry(UniqueFd listener) {
    for (const int fd : {STDIN_FILENO, STDOUT_FILENO}) fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
    listener_ = std::move(listener);
    while (!in_.ended() && !out_.refused() && !told_to_end) {
      if (agent_.valid() && (out_.ended() || in_.refused()) && out_.empty()) return agent_hung_up();
      if (!agent_.valid() && !lock_.held()) return agent_ended();
      turn();
      watch_.look([this] { return lock_.guardian(); });
    }
    if (told_to_end) return end_agent();
    unlink(place_.socket().c_str());
    return kRelayHungUp;
  }

  // Kills the agent at once.
  int end_agent() {
    for (int polls = 0; polls < kEndingPolls && lock_.held(); ++polls) {
      kill_agent();
      poll(nullptr, 0, kPollMs);
    }
    return lock_.held() ? fail({Code::unavailable, "its agent still runs after SIGKILL"}) : agent_ended();
  }

 private:
  void turn() {
    pollfd watched[] = {in_.reads(), in_.writes(), out_.reads(), out_.writes(), {listener_.get(), POLLIN, 0}};
    const int patience = agent_.valid() ? static_cast<int>(AgentWatch::kPeriod.count()) : kPollMs;
    if (poll(watched, std::size(watched), patience) < 0) return;
    in_.turn(watched[0], watched[1]);
    out_.turn(watched[2], watched[3]);
    if (watched[4].revents != 0) accept_agent();
  }

  // Accepts one connection only, because the other end has one stream. An agent that reconnects waits for the next relay.
  void accept_agent() {
    agent_ = UniqueFd(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!agent_.valid()) return;
    listener_.reset();
    in_.connect(STDIN_FILENO, agent_.get());
    out_.connect(agent_.get(), STDOUT_FILENO);
  }

  int agent_hung_up() {
    for (int polls = 0; polls < kLeavingPolls && lock_.held(); ++polls) poll(nullptr, 0, kPollMs);
    if (!lock_.held()) return agent_ended();
    unlink(place_.socket().c_str());
    return kRelayHungUp;
  }

  int agent_ended() {
    const std::optional<int> code = lock_.end();
    if (!code) sweep_after(place_, tag_, folder_);
    place_.remove();
    if (code == 0) return kRelayAgentLeft;
    std::cerr << "its agent " << (code ? describe_exit(status_of(*code)) : "was killed with its guardian") << "\n";
    return kRelayAgentDied;
  }

  // The guardian then kills the ranks. SIGCONT: it may have been stopped together with the agent.
  void kill_agent() {
    const pid_t guardian = lock_.guardian();
    if (guardian == 0) return;
    kill(guardian, SIGCONT);
    for (const pid_t each : children_of_guardian(guardian)) kill(each, SIGKILL);
  }

  const LinkPlace& place_;
  const LinkTag& tag_;
  const std::string& folder_;
  AgentLock lock_;
  UniqueFd listener_;
  UniqueFd agent_;
  AgentWatch watch_{[](pid_t pid) { std::cerr << kRelaySaysStopped << pid << std::endl; }};
  ByteFlow in_{STDIN_FILENO, -1};
  ByteFlow out_{-1, STDOUT_FILENO};
};

Status begin_agent(const CallerContext& caller, const LinkPlace& place, const AgentLock& lock, bool inside) {
  const UniqueFd held = lock.take();
  if (!held.valid()) return Status(Code::already_exists, "an agent with this tag already runs here");
  const Status reserved = lock.reserve();
  const Status started = reserved.ok() ? start_agent(caller, place.socket(), held, inside).status() : reserved;
  if (!started.ok()) place.remove();
  return started;
}

}  // namespace

int relay_main(const CallerContext& caller, RelayTask task, const std::string& text, bool inside) {
  signal(SIGPIPE, SIG_IGN);
  struct sigaction ends {};
  ends.sa_handler = [](int) { told_to_end = 1; };  // without SA_RESTART, so that poll(2) returns
  if (inside) sigaction(SIGTERM, &ends, nullptr);
  const std::optional<LinkTag> tag = parse_link_tag(text);
  if (!tag) return fail({Code::invalid_argument, "invalid tag: " + escaped(text)});
  const Result<std::string> folder = runtime_folder();
  if (!folder.ok()) return fail(folder.status());
  remove_dead_links(*folder);
  const LinkPlace place(*folder, text);
  const bool begins = task == RelayTask::listen;
  Result<std::optional<AgentLock>> lock = AgentLock::open(place, begins);
  if (!lock.ok()) return fail(lock.status());
  if (!*lock) {
    sweep_after(place, *tag, *folder);
    return kRelayNothingHere;
  }
  if (task == RelayTask::wake) {  // beside the relay in charge
    resume_agent((*lock)->guardian());
    return kRelayWoke;
  }
  const Result<RelayCharge> charge = RelayCharge::take(place);
  if (!charge.ok()) return fail(charge.status());
  if (task == RelayTask::end) return Relay(place, *tag, *folder, std::move(**lock)).end_agent();
  Result<UniqueFd> listener = listen_at(place.socket());
  if (!listener.ok()) return fail(listener.status());
  const Status begun = begins ? begin_agent(caller, place, **lock, inside) : Status();
  if (!begun.ok()) return fail(begun);
  return Relay(place, *tag, *folder, std::move(**lock)).carry(std::move(*listener));
}

}  // namespace muster
