// Jobs that share hosts: who has what of which host, and the plan of a job beside them. Pure.
#pragma once

#include <string>
#include <vector>

#include "core/job/job_spec.h"
#include "core/job/plan/claim.h"
#include "core/job/plan/job_host.h"
#include "core/job/plan/plan_hosts.h"

namespace muster {

// What the job `who` has of each host of its plan; slots only of hosts that have some counted.
std::vector<Holder> holders_on_hosts(const std::string& who, const Plan& plan, const std::vector<JobHost>& hosts);

// The same, summed.
Needs needs_on_hosts(const Plan& plan, const std::vector<JobHost>& hosts);

// As plan_on_hosts(), beside `held`, which may hold some of other hosts as well. As many nodes and workers as hosts that are
// free would have. unavailable: not now; the message says what it waits for: "2 GPUs on a1: llm-eval holds 0, 1".
Result<Plan> plan_beside(const JobSpec& spec, const std::vector<JobHost>& hosts, const std::vector<Holder>& held);

}  // namespace muster
