// The plan of a job whose nodes are pods. Nobody has seen their machines when it is made: it stands on the spec alone. Pure.
#pragma once

#include "core/job/plan/plan.h"

namespace muster {

// A node is a pod of its group's replicated job, and PlannedNode::host its host name in the cluster: JOB-GROUP-0-INDEX. `workers: auto`
// is one rank, `gpus: auto` none. A rank's GPUs are those of its pod by index, which CUDA_VISIBLE_DEVICES takes as well.
// invalid_argument: no groups, or more ranks than a job may have.
Result<Plan> plan_of_pods(const JobSpec& spec);

}  // namespace muster
