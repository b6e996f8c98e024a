// SPDX-License-Identifier: Apache-2.0
// Divides the devices of one machine among the nodes on it, for plans on one machine and on several hosts. Private to
// core/job; pure.
#pragma once

#include "core/base/result.h"
#include "core/job/plan/plan.h"

namespace muster {

// Places max_nodes nodes of every group on this machine; no device is used twice. resource_exhausted: the message says
// what is short. It names `machine.host`, or "this machine" if that is empty.
Result<Plan> deal_machine(const JobSpec& spec, const Inventory& machine);

// Sets world_rank, and world_size of a shared world, from PlannedRank::rank and the order of the ranks.
void number_worlds(const JobSpec& spec, Plan& plan);

}  // namespace muster
