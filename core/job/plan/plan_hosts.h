// A job over several hosts: which nodes lie on which, and what their ranks get there. Pure.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/job/job_spec.h"
#include "core/job/plan/job_host.h"
#include "core/job/plan/plan.h"

namespace muster {

// What is left of a host beside those who have some of it.
struct HostRoom {
  Inventory free;
  uint64_t slots_taken = 0;
};

// A node is one host, in the order of `hosts`; nodes of one group lie on different ones, of its label where it asks for one. Where not all
// are needed, the heavier are taken first. A host carries nodes of several
// groups only where hosts without a node do not suffice, and it has slots and devices for both. A host has no more ranks than
// slots. `workers: auto` is decided on each host: one for each of its GPUs, as many as its slots take; without GPUs its slots,
// else 1. A group of MIN..MAX nodes gets as many as there are hosts for; groups take turns.
// Ranks are numbered as JobSpec::placement says. PlannedNode::host is JobHost::name.
//
// resource_exhausted: some group cannot have its least, with what each host lacks. invalid_argument: as
// plan_on_one_machine().
//
// `rooms`, if any, one for each host: what is left of it. Counts that are `auto` are those of whole hosts all the same.
Result<Plan> plan_on_hosts(const JobSpec& spec, const std::vector<JobHost>& hosts,
                           const std::vector<HostRoom>& rooms = {});

// What a reader of the plan may not expect: "hosts differ: 8 ranks on a1; 4 on a2, a3"; "a4 has no rank".
std::vector<std::string> remarks_on_hosts(const Plan& plan, const std::vector<JobHost>& hosts);

}  // namespace muster
