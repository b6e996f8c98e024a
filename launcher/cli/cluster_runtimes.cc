// SPDX-License-Identifier: Apache-2.0
#include "launcher/cli/cluster_runtimes.h"

#include <algorithm>

#include "backends/kubernetes/cluster/cluster_access.h"
#include "core/job/file/job_yaml.h"

namespace muster {
namespace {

bool has(const std::vector<TrainingRuntimeFacts>& runtimes, const std::string& name) {
  return std::any_of(runtimes.begin(), runtimes.end(), [&](const auto& each) { return each.name == name; });
}

// The names of the same kind, for "did you mean"; and whether the other kind has one of this name.
Result<FoundRuntime> names_instead(const KubectlAccess& access, const RuntimeReference& wanted) {
  FoundRuntime found{.context = access.place.context, .name_space = access.place.space};
  const auto same = list_training_runtimes(access, wanted.kind);
  // The user may be allowed to get runtimes and not to list them, or to list only one kind.
  if (!same.ok() && same.status().code() != Code::permission_denied) return same.status();
  if (same.ok()) {
    for (const TrainingRuntimeFacts& each : *same) found.names.push_back(each.name);
  }
  const std::string other(wanted.kind == kClusterRuntime ? kNamespacedRuntime : kClusterRuntime);
  const auto others = list_training_runtimes(access, other);
  if (others.ok() && has(*others, wanted.name)) found.other_kind = other;
  return found;
}

Result<FoundRuntime> find_runtime(const KubectlAccess& access, const RuntimeReference& wanted) {
  if (!is_runtime_name(wanted.name)) return names_instead(access, wanted);
  auto text = training_runtime_text(access, wanted.kind, wanted.name);
  if (!text.ok()) return text.status();
  if (!*text) return names_instead(access, wanted);
  return FoundRuntime{.source = SourceText{wanted.kind + " " + wanted.name + " of the cluster", std::move(**text)}};
}

Result<KubectlAccess> access_to(const CommandContext& context, const ClusterPlace& place) {
  return kubectl_access(context.caller, place, [&screen = context.screen](std::string_view text) { screen.err(text); });
}

}  // namespace

void declare_cluster_runtimes(CommandLine& line, JobFlags& flags) {
  line.flag("--cluster-runtimes", flags.cluster_runtimes,
            "for a TrainJob: use the runtimes of the cluster, which must have Kubeflow Trainer");
}

RuntimeLookup runtime_lookup(const CommandContext& context, const JobFlags& flags, const ClusterPlace& place) {
  if (!flags.cluster_runtimes) return {};
  return [&context, place](const RuntimeReference& wanted) -> Result<FoundRuntime> {
    ClusterPlace there = place;
    if (there.space.empty()) there.space = wanted.name_space;
    const auto access = access_to(context, there);
    if (!access.ok()) return access.status();
    return find_runtime(*access, wanted);
  };
}

Result<std::vector<TrainingRuntimeFacts>> cluster_runtimes(const CommandContext& context, const ClusterPlace& place) {
  const auto access = access_to(context, place);
  if (!access.ok()) return access.status();
  std::vector<TrainingRuntimeFacts> all;
  Status refused;
  size_t answers = 0;
  for (const std::string_view kind : {kClusterRuntime, kNamespacedRuntime}) {
    const auto some = list_training_runtimes(*access, std::string(kind));
    if (some.ok()) {
      ++answers;
      all.insert(all.end(), some->begin(), some->end());
    } else if (some.status().code() != Code::permission_denied) {
      return some.status();
    } else {
      refused = some.status();
    }
  }
  if (answers == 0) return refused;
  if (!refused.ok()) context.screen.err("not all are listed: " + refused.message() + "\n");
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return all;
}

}  // namespace muster
