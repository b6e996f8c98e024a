// SPDX-License-Identifier: Apache-2.0
// The parts of a job's view that come from its agents: processes, progress, findings and the running setup. Pure.
#pragma once

#include <string>

#include "core/coordinator/agent_nodes.h"
#include "core/journal/job_fold.h"

namespace muster {

// Adds the ranks of each gang's newest attempt.
void add_live_ranks(const JobFold& fold, const AgentNodes& nodes, JobView& view);

// The setup or devices that nodes still wait for, such as "setup on node-a: uv sync" or "its GPUs on its hosts: …"; empty: nothing.
std::string setup_under_way(const Plan& plan, const AgentNodes& nodes);

}  // namespace muster
