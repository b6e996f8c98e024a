// Ranks that the kernel killed for their memory together with all else in their container: nodes with cgroup v2 do that
// (memory.oom.group). The agent is dead then too, so the job knows only that it was lost; why says the pod's last state. Pure.
#pragma once

#include <vector>

#include "backends/kubernetes/cluster/cluster_facts.h"
#include "core/port/control_messages.h"

namespace muster {

// Whether pods could tell more of how its attempts ended.
bool lost_agents(const JobView& job);

// Tells it where attempts and sentence say that an agent was lost.
void tell_memory_deaths(JobView& job, const std::vector<PodFacts>& pods);

}  // namespace muster
