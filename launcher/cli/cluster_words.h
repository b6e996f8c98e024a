// The flags that name a cluster (cluster_access.h), declared on a command line.
#pragma once

#include "launcher/cli/command_line.h"
#include "launcher/cluster/cluster_access.h"

namespace muster {

// For commands that look at jobs: --backend, --context, --namespace.
void declare_cluster_words(CommandLine& line, ClusterWords& words);
// For those that have --backend by another way.
void declare_cluster_place(CommandLine& line, ClusterWords& words);

}  // namespace muster
