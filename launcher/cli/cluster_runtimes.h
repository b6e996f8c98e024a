// SPDX-License-Identifier: Apache-2.0
// The flag --cluster-runtimes: TrainJobs use the runtimes of a cluster, which the user's kubectl reads.
#pragma once

#include <vector>

#include "backends/kubernetes/cluster/training_runtimes.h"
#include "core/client/submission/job_flags.h"
#include "core/job/file/kubeflow/manifest.h"
#include "launcher/cli/command.h"

namespace muster {

void declare_cluster_runtimes(CommandLine& line, JobFlags& flags);

// Finds runtimes in the cluster of `place`; without a namespace there, in that of the job. Empty: the flag was not given.
RuntimeLookup runtime_lookup(const CommandContext& context, const JobFlags& flags, const ClusterPlace& place);

// All runtimes of the cluster that the user may list, by name. Fails if the user may list neither kind.
Result<std::vector<TrainingRuntimeFacts>> cluster_runtimes(const CommandContext& context, const ClusterPlace& place);

}  // namespace muster
