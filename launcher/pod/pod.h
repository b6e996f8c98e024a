// What runs in the pods of a job in a cluster (model/pod_words.h): the mains of `muster pod …`. They return the exit code.
#pragma once

#include <string>

#include "backends/kubernetes/pod/pod_place.h"
#include "core/base/result.h"
#include "launcher/cli/command.h"

namespace muster::pod {

// The first process of most containers: what it says last is what the cluster shows.
int refuse(const Status& status);

// Puts this program into `folder` with its loader and libraries, so that FOLDER/muster starts in any image, by itself.
int install_main(const CallerContext& caller, const std::string& folder);

// The job's coordinator: its whole life, and its last words.
int coordinate_main(CommandContext& context);

// The agent of the node that this pod is.
int agent_main(const CallerContext& caller);

// Comes once the job has failed: fails, and its JobSet with it, with the coordinator's last sentence.
int verdict_main(const CallerContext& caller);

// Between stdio and the coordinator of this pod: the way of a viewer outside the cluster.
int view_main(const CallerContext& caller);

}  // namespace muster::pod
