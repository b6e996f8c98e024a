// SPDX-License-Identifier: Apache-2.0
// The plan of a job whose nodes are pods. It depends only on the spec: the pods' machines are not known yet. Pure.
#pragma once

#include "core/job/plan/plan.h"

namespace muster {

// Each node is a pod of its group's replicated job. PlannedNode::host is the pod's host name: JOB-GROUP-0-INDEX. `workers: auto` counts
// as one rank, `gpus: auto` as no GPU. A rank's GPUs are identified by their index in the pod, which CUDA_VISIBLE_DEVICES accepts.
// invalid_argument: the job has no groups, or more ranks than are allowed.
Result<Plan> plan_of_pods(const JobSpec& spec);

}  // namespace muster
