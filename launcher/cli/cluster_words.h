// The flags that name a cluster (cluster_access.h), declared on a command line.
#pragma once

#include "backends/kubernetes/cluster/cluster_access.h"
#include "launcher/cli/command_line.h"

namespace muster {

// For commands that look at jobs: --backend, --context, --namespace.
void declare_cluster_words(CommandLine& line, ClusterWords& words);
// For those that have --backend by another way.
void declare_cluster_place(CommandLine& line, ClusterWords& words);

}  // namespace muster
