// SPDX-License-Identifier: Apache-2.0
// The job that a command runs in: its nodes are the hosts of mpirun there.
#pragma once

#include <optional>
#include <vector>

#include "core/base/result.h"
#include "core/client/caller_context.h"
#include "core/job/plan/job_host.h"
#include "core/job/plan/job_node.h"
#include "core/wire/worker/rank_client.h"
#include "launcher/mpirun/mpirun_job.h"

namespace muster {

struct OuterJob {
  RankClient client;
  std::vector<JobNode> nodes;  // on which this command may start ranks, with their slots
};

// Asks the agent of this node. nullopt: this command runs in no job, or in one whose ranks are all on this node. Errors: the job has
// several nodes, but they cannot be found; a variable of launcher_variables.h is wrong.
Result<std::optional<OuterJob>> outer_job(const CallerContext& caller);

// Makes the nodes the hosts of the command line: all nodes if it names no hosts. The line may name pods that the `job` would have in a
// cluster. False, and nothing has changed: the line names a host that is no node of the job.
bool use_nodes(const std::vector<JobNode>& nodes, const std::string& job, MpirunPlaces& places, MpirunFacts& facts);

// The slots of this machine in a job that has no other node, if MUSTER_MPIRUN_SLOTS says so. Not if the line names hosts.
void use_slots(const CallerContext& caller, MpirunPlaces& places);

// The nodes as hosts of the job that runs on them. Nothing is reserved there: the outer job has done that.
std::vector<JobHost> hosts_of(const std::vector<JobNode>& nodes);

}  // namespace muster
