// SPDX-License-Identifier: Apache-2.0
// `muster doctor --backend kubernetes`: asks the cluster and judges the answers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "backends/kubernetes/cluster/cluster_access.h"
#include "launcher/cli/command.h"
#include "launcher/doctor/doctor.h"

namespace muster {

// The findings about the cluster, and about the job `file` in it, if given. nullopt: the file is not valid; the errors have been
// printed.
std::optional<std::vector<Finding>> examine_cluster(CommandContext& context, const ClusterWords& words,
                                                    const std::optional<std::string>& file);

}  // namespace muster
