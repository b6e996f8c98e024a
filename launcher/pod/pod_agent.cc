// SPDX-License-Identifier: Apache-2.0
// `muster pod agent`: the agent of a node that is a pod. Usually the first process of its container.

#include <unistd.h>

#include <csignal>
#include <iostream>

#include "backends/kubernetes/pod/pod_dialer.h"
#include "core/job/pod_words.h"
#include "core/system/asio/fd_loop.h"
#include "core/system/linux/host_addresses.h"
#include "core/system/linux/process/guardian.h"
#include "launcher/composition/agent_place.h"
#include "launcher/pod/pod.h"

namespace muster::pod {
namespace {

// For an agent without a job. With a job, a pod gets some seconds more than its ranks, so that the agent can report the drain.
constexpr Duration kDrainGrace{0};

AgentSelf self_of(const CallerContext& caller, const PodPlace& place) {
  AgentSelf self = agent_self(caller);
  self.folder = caller.workdir;  // a job that names no folder runs where its image says
  self.programs.environment = without_pod_variables(caller.environment);
  self.programs.nics = nics_by_address();
  self.pod = place.self;
  return self;
}

// The exit code of a process that was ended by SIGTERM.
constexpr int kToldToEnd = 128 + SIGTERM;

// 0 only if the job has succeeded, because the cluster restarts every other agent.
int exit_code_after(const std::optional<Dismiss>& dismissed) {
  if (dismissed && !dismissed->why.empty()) std::cerr << dismissed->why << "\n";
  return dismissed && dismissed->succeeded ? 0 : 1;
}

}  // namespace

int agent_main(const CallerContext& caller) {
  std::signal(SIGHUP, SIG_IGN);
  const PodPlace pod = pod_place(caller);
  if (pod.coordinator.empty())
    return refuse({Code::invalid_argument, std::string(kCoordinatorVariable) + " is not set"});
  if (const Status made = make_folders(pod); !made.ok()) return refuse(made);
  const auto identity = identity_of(pod);
  if (!identity.ok()) return refuse(identity.status());
  AgentPlace place;
  place.socket = pod.run() + "/pod";
  place.folder = pod.state() + "/host";
  place.lessons = pod.state() + "/imports";
  place.leases = pod.folder + "/leases";
  place.dialer = [&](FdLoop& loop) {
    return std::make_unique<PodDialer>(loop, pod.coordinator, kAgentPort, *identity);
  };
  place.self = [&] { return self_of(caller, pod); };
  bool told_to_end = false;
  place.drain = [&told_to_end](Agent& agent) {
    told_to_end = true;
    agent.drain_as_stopped(kDrainGrace, "its pod is being terminated");
  };
  // Left by an earlier container, whose processes had the same process ids.
  remove_left_by_agent(place.socket, getpid());
  const int code = run_guarded([&](int guardian_gone_fd) {
    const std::optional<Dismiss> dismissed = run_agent(place, guardian_gone_fd);
    return told_to_end && !dismissed ? kToldToEnd : exit_code_after(dismissed);
  });
  remove_left_by_agent(place.socket, getpid());
  if (code == kToldToEnd) wait_termination_delay(pod);
  return code;
}

}  // namespace muster::pod
