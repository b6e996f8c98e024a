// SPDX-License-Identifier: Apache-2.0
// Out-of-memory kills of a whole container. On nodes with cgroup v2 the kernel kills all its processes (memory.oom.group), the agent
// included. The job knows only that the agent was lost; the reason is in the pod's last state. Pure.
#pragma once

#include <vector>

#include "backends/kubernetes/cluster/cluster_facts.h"
#include "core/port/control_messages.h"

namespace muster {

// True if an attempt ended because an agent was lost, so that pods may tell the reason.
bool lost_agents(const JobView& job);

// Replaces "agent lost" by the out-of-memory kill, in the job's attempts and sentence.
void tell_memory_deaths(JobView& job, const std::vector<PodFacts>& pods);

}  // namespace muster
