#include "launcher/cli/cluster_words.h"

namespace muster {

void declare_cluster_place(CommandLine& line, ClusterWords& words) {
  line.value("--context", "NAME", words.context,
             "which cluster, of those your kubectl knows (default: its current one)")
      .value("--namespace", "NAME", words.space, "where in the cluster (default: that of the context)");
}

void declare_cluster_words(CommandLine& line, ClusterWords& words) {
  line.value("--backend", "NAME", words.backend,
             "kubernetes: jobs in a cluster, reached by your kubectl (MUSTER_BACKEND)");
  declare_cluster_place(line, words);
}

}  // namespace muster
