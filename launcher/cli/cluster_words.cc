// SPDX-License-Identifier: Apache-2.0
#include "launcher/cli/cluster_words.h"

namespace muster {

void declare_cluster_place(CommandLine& line, ClusterWords& words) {
  line.value("--context", "NAME", words.context,
             "the cluster: a context of your kubectl (default: its current context)")
      .value("--namespace", "NAME", words.space, "namespace in the cluster (default: that of the context)");
}

void declare_cluster_words(CommandLine& line, ClusterWords& words) {
  line.value("--backend", "NAME", words.backend,
             "kubernetes: jobs in a cluster, reached with your kubectl (variable: MUSTER_BACKEND)");
  declare_cluster_place(line, words);
}

}  // namespace muster
