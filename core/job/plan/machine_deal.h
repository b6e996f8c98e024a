// Dealing one machine's devices to the nodes that are on it: what plans on one machine and on several hosts share. Private to
// core/job; pure.
#pragma once

#include "core/base/result.h"
#include "core/job/plan/plan.h"

namespace muster {

// Every group with all its max_nodes on this machine, each device given once. resource_exhausted, with what is short; the
// message speaks of `machine.host`, or of this machine where that is empty.
Result<Plan> deal_machine(const JobSpec& spec, const Inventory& machine);

// Fills world_rank, and of a shared world its size, from PlannedRank::rank and the order of the ranks.
void number_worlds(const JobSpec& spec, Plan& plan);

}  // namespace muster
