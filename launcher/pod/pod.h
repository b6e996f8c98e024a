// SPDX-License-Identifier: Apache-2.0
// The main functions of `muster pod …`, which run in the pods of a job (core/job/pod_words.h). They return the exit code.
#pragma once

#include <string>

#include "backends/kubernetes/pod/pod_place.h"
#include "core/base/result.h"
#include "launcher/cli/command.h"

namespace muster::pod {

// Prints the error to stderr and returns exit_job_failed. The cluster shows the last lines of a failed container.
int refuse(const Status& status);

// Copies this program with its loader and libraries into `folder`, so that FOLDER/muster runs in any image.
int install_main(const CallerContext& caller, const std::string& folder);

// Runs the job's coordinator, from submission to the termination message.
int coordinate_main(CommandContext& context);

// Runs the agent of this pod's node.
int agent_main(const CallerContext& caller);

// Runs after the job has failed: prints the coordinator's sentence and fails, which makes the JobSet fail.
int verdict_main(const CallerContext& caller);

// Connects stdio with the coordinator in this pod, for a viewer outside of the cluster.
int view_main(const CallerContext& caller);

}  // namespace muster::pod
