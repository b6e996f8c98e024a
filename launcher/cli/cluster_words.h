// SPDX-License-Identifier: Apache-2.0
// The flags that name a cluster (cluster_access.h), declared on a command line.
#pragma once

#include "backends/kubernetes/cluster/cluster_access.h"
#include "launcher/cli/command_line.h"

namespace muster {

// Declares --backend, --context and --namespace.
void declare_cluster_words(CommandLine& line, ClusterWords& words);
// Declares --context and --namespace, for commands that declare --backend themselves.
void declare_cluster_place(CommandLine& line, ClusterWords& words);

}  // namespace muster
