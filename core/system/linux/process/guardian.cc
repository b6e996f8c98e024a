// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/process/guardian.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <optional>

#include "core/system/linux/process/orphan_sweep.h"
#include "core/system/linux/process/wait_status.h"

namespace muster {
namespace {

constexpr int kRefused = 125;

// The signals that the guardian takes one at a time with sigwaitinfo(2) instead of with handlers.
sigset_t guarded_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : {SIGCHLD, SIGTERM, SIGINT, SIGHUP}) sigaddset(&set, number);
  return set;
}

// A key at the terminal signals the whole foreground group, the agent included (si_code SI_KERNEL, sigaction(2)). So
// only signals that were sent to the guardian alone are passed on.
void forward(pid_t agent, const siginfo_t& info) {
  const bool wanted = info.si_signo == SIGTERM || info.si_signo == SIGINT;
  if (wanted && info.si_code != SI_KERNEL) kill(agent, info.si_signo);
}

// As the first process of a container, the guardian inherits orphans of other processes.
void reap_others(pid_t agent) {
  for (pid_t ended = peek_ended_child(); ended > 0 && ended != agent; ended = peek_ended_child()) reap_if_ended(ended);
}

ExitStatus wait_for_agent(pid_t agent, const sigset_t& signals) {
  while (true) {
    // Blocked before waiting: SIGCHLDs of several children may be merged (signal(7)).
    if (const std::optional<ExitStatus> ended = reap_if_ended(agent)) return *ended;
    reap_others(agent);
    siginfo_t info{};
    if (sigwaitinfo(&signals, &info) > 0) forward(agent, info);
  }
}

// Waits also for a process in state D: while the guardian runs, a process of the job may
// be left.
void sweep_all(const sigset_t& signals) {
  constexpr timespec kAgain{0, 100'000'000};  // normally SIGCHLD wakes us earlier
  OrphanSweep sweep;
  while (!sweep.round({})) {
    siginfo_t info{};
    sigtimedwait(&signals, &info, &kAgain);
  }
}

int guard(pid_t agent, const sigset_t& signals) {
  const ExitStatus status = wait_for_agent(agent, signals);
  sweep_all(signals);
  return shell_code(status);
}

}  // namespace

int run_guarded(const std::function<int(int guardian_gone_fd)>& agent_main, KeptTerminals* terminals) {
  int ends[2];
  if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0 || pipe2(ends, O_CLOEXEC) != 0) return kRefused;
  const sigset_t signals = guarded_signals();
  sigset_t before;
  sigprocmask(SIG_BLOCK, &signals, &before);
  std::fflush(nullptr);  // otherwise both processes would write the buffered bytes
  const pid_t guardian = getpid();
  const pid_t agent = fork();
  if (agent < 0) return kRefused;
  if (agent == 0) {
    close(ends[1]);
    sigprocmask(SIG_SETMASK, &before, nullptr);
    const int code = agent_main(ends[0]);
    if (getppid() == guardian) kill(guardian, SIGCONT);  // a stopped guardian would never end
    std::exit(code);
  }
  close(ends[0]);
  const int code = guard(agent, signals);
  if (terminals != nullptr) terminals->drain();
  close(ends[1]);
  sigprocmask(SIG_SETMASK, &before, nullptr);
  return code;
}

}  // namespace muster
