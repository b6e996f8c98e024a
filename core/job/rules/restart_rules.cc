// SPDX-License-Identifier: Apache-2.0
#include "core/job/rules/restart_rules.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/job/failure_rule.h"

namespace muster {
namespace {

std::vector<std::string> group_names(const JobSpec& spec) {
  std::vector<std::string> names;
  for (const GroupSpec& group : spec.groups) names.push_back(group.name);
  return names;
}

void check_list(const JobSpec& spec, const std::string& path, const std::vector<FailureRule>& rules,
                std::vector<Contradiction>& found) {
  const std::vector<std::string> groups = group_names(spec);
  for (size_t i = 0; i < rules.size(); ++i) {
    const std::string& group = rules[i].group;
    if (group.empty() || std::find(groups.begin(), groups.end(), group) != groups.end()) continue;
    FailureRule meant = rules[i];
    meant.group = nearest(group, groups).value_or("");
    found.push_back({"E1315", path + "." + std::to_string(i), "the job has no group `" + group + "`",
                     "its groups: " + short_list(groups, 8), meant.group.empty() ? "" : to_string(meant)});
  }
}

void check_both_lists(const RestartSpec& restarts, std::vector<Contradiction>& found) {
  for (size_t i = 0; i < restarts.always_on.size(); ++i) {
    const FailureRule& rule = restarts.always_on[i];
    if (std::find(restarts.never_on.begin(), restarts.never_on.end(), rule) == restarts.never_on.end()) continue;
    found.push_back({"E1302", "restarts.always_on." + std::to_string(i),
                     "`" + to_string(rule) + "` is in never_on and in always_on", "", ""});
  }
}

void check_mode(const JobSpec& spec, std::vector<Contradiction>& found) {
  const RestartSpec& restarts = spec.restarts;
  const bool restarting = restarts.limit > 0 || !restarts.always_on.empty();
  if (restarts.mode == RestartMode::none && restarting)
    found.push_back({"E1316", "restarts.mode", "`mode: none` means no restarts, but `limit` or `always_on` is set",
                     "remove one of them; `mode: gang` restarts all ranks, `mode: group` those of a group", ""});
  if (restarts.window > Duration(0) && restarts.limit == 0)
    found.push_back({"E1316", "restarts.window",
                     "`window` needs a `limit` above 0: it says which restarts count against it",
                     "such as  restarts: {limit: 3, window: 1h}", ""});
  if (restarts.mode == RestartMode::group && spec.world == World::shared)
    found.push_back({"E1316", "restarts.mode", "`mode: group` needs groups that are worlds of their own",
                     "with `world: shared` all groups are one gang, which restarts as a whole", ""});
  const bool ranges = std::any_of(spec.groups.begin(), spec.groups.end(),
                                  [](const GroupSpec& group) { return group.min_nodes < group.max_nodes; });
  if (restarts.mode == RestartMode::group && ranges)
    found.push_back({"E1316", "restarts.mode", "`mode: group` needs a fixed number of nodes in every group",
                     "write  nodes: N  instead of  nodes: MIN..MAX", ""});
}

}  // namespace

std::vector<Contradiction> restart_contradictions(const JobSpec& spec) {
  std::vector<Contradiction> found;
  check_both_lists(spec.restarts, found);
  check_list(spec, "restarts.never_on", spec.restarts.never_on, found);
  check_list(spec, "restarts.always_on", spec.restarts.always_on, found);
  check_mode(spec, found);
  return found;
}

}  // namespace muster
