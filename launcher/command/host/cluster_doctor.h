// `muster doctor --backend kubernetes`: its command's part.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "backends/kubernetes/cluster/cluster_access.h"
#include "launcher/cli/command.h"
#include "launcher/doctor/doctor.h"

namespace muster {

// Of the cluster, and of `file` in it, where one is named. None: the file is no job for a cluster, which has been told.
std::optional<std::vector<Finding>> examine_cluster(CommandContext& context, const ClusterWords& words,
                                                    const std::optional<std::string>& file);

}  // namespace muster
