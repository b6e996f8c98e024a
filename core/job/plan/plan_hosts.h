// SPDX-License-Identifier: Apache-2.0
// Plans of jobs on several hosts. Pure.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/job/job_spec.h"
#include "core/job/plan/job_host.h"
#include "core/job/plan/plan.h"

namespace muster {

// Free capacity of a host.
struct HostRoom {
  Inventory free;
  uint64_t slots_taken = 0;
};

// Places each node on a host, in the order of `hosts`; PlannedNode::host is JobHost::name.
// - The nodes of a group are on different hosts. If the group has a label, they are on hosts with this label.
// - If not all hosts are needed, those with the greatest weight are taken first.
// - A host gets nodes of several groups only if there are not enough hosts without a node, and if it has slots and
//   devices for all of them. A host never has more ranks than slots.
// - `workers: auto` is decided for each host: one worker per GPU, limited by its slots; without GPUs its slots, else 1.
// - A group of MIN..MAX nodes gets as many nodes as there are hosts for; groups take turns.
// - Ranks are numbered according to JobSpec::placement.
//
// `rooms` is empty or has the free capacity of each host. `auto` counts are still those of whole hosts.
//
// resource_exhausted: a group cannot have its minimum; the message says what each host lacks. invalid_argument: as
// plan_on_one_machine().
Result<Plan> plan_on_hosts(const JobSpec& spec, const std::vector<JobHost>& hosts,
                           const std::vector<HostRoom>& rooms = {});

// Notes about the plan that the user may not expect: hosts with different numbers of ranks, hosts without a rank.
std::vector<std::string> remarks_on_hosts(const Plan& plan, const std::vector<JobHost>& hosts);

}  // namespace muster
