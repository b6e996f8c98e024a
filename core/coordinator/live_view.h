// What people see of a job that only its agents tell: processes, progress, findings, and what is being set up. Pure.
#pragma once

#include <string>

#include "core/coordinator/agent_nodes.h"
#include "core/journal/job_fold.h"

namespace muster {

// Of the ranks of each gang's newest attempt.
void add_live_ranks(const JobFold& fold, const AgentNodes& nodes, JobView& view);

// "setup on node-a: uv sync", "its GPUs on its hosts: …"; empty: nothing is being set up.
std::string setup_under_way(const Plan& plan, const AgentNodes& nodes);

}  // namespace muster
