// SPDX-License-Identifier: Apache-2.0
// Plans for jobs that share hosts with other jobs. Pure.
#pragma once

#include <string>
#include <vector>

#include "core/job/job_spec.h"
#include "core/job/plan/claim.h"
#include "core/job/plan/job_host.h"
#include "core/job/plan/plan_hosts.h"

namespace muster {

// The claims of the job `who` on each host of its plan. Slots are set only for hosts with slots.
std::vector<Holder> holders_on_hosts(const std::string& who, const Plan& plan, const std::vector<JobHost>& hosts);

// The same, summed.
Needs needs_on_hosts(const Plan& plan, const std::vector<JobHost>& hosts);

// As plan_on_hosts(), but without the resources in `held`, which may be on other hosts as well. The plan has as many
// nodes and workers as on hosts that are free. unavailable: not enough is free now; the message says what the job waits
// for: "2 GPUs on a1: llm-eval holds 0, 1".
Result<Plan> plan_beside(const JobSpec& spec, const std::vector<JobHost>& hosts, const std::vector<Holder>& held);

}  // namespace muster
