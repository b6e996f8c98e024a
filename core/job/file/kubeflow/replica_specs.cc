// SPDX-License-Identifier: Apache-2.0
#include "core/job/file/kubeflow/replica_specs.h"

#include <algorithm>
#include <cctype>

#include "core/base/text.h"
#include "core/job/file/kubeflow/first_pod.h"
#include "core/job/file/kubeflow/job_settings.h"
#include "core/job/file/kubeflow/tree/node_tools.h"

namespace muster {
namespace {

constexpr std::string_view kOperatorController = "kubeflow.org/training-operator";
constexpr std::string_view kMpiController = "kubeflow.org/mpi-operator";
constexpr int kLastPermanentCode = 127;
// Kubernetes restarts such pods without a limit; restarts.crash_loop still ends a job that always fails early.
constexpr const char* kUnlimited = "1000000";
// The launcher of an MPIJob of v2beta1 is a Job, and this is the backoffLimit of Jobs.
constexpr const char* kOfJobs = "6";

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), [](unsigned char c) { return std::tolower(c); });
  return result;
}

bool is_same(const PodGroup& a, const PodGroup& b) {
  const auto words = [](const PodGroup& group) {
    std::string text;
    for (const YamlNode& word : group.command) text += word.text + "\n";
    return text + flat_text(group.env) + flat_text(group.pods) + flat_text(group.patch) +
           (group.image ? group.image->text : "");
  };
  return words(a) == words(b) && a.templates == b.templates && a.cpus == b.cpus && a.gpus == b.gpus &&
         a.memory == b.memory;
}

bool is_never(const YamlNode* policy) { return policy == nullptr || policy->text.empty() || policy->text == "Never"; }

// Adds the failures after which ranks of the group do not restart. `of_group`: "group master "; empty: of all groups.
void add_never_on(YamlNode& restarts, const ReplicaGroup& group, const std::string& of_group) {
  YamlNode& never = list_at(restarts, "never_on", group.where);
  const SourceRange& where = group.restart ? group.restart->where : group.where;
  if (is_never(group.restart)) return never.items.push_back(text_node("group " + group.pod.name, where));
  for (int code = 1; code <= kLastPermanentCode; ++code)
    never.items.push_back(text_node(of_group + "exit " + std::to_string(code), where));
}

// The operator fails the job with the first pod that may not restart, whatever the backoffLimit. Roles without a policy are
// as the others.
void restart_nothing(YamlNode& job, const std::vector<ReplicaGroup>& groups) {
  const auto found =
      std::find_if(groups.begin(), groups.end(), [](const ReplicaGroup& each) { return each.restart != nullptr; });
  YamlNode* restarts = child(&job, "restarts");
  if (found != groups.end() && restarts != nullptr) put(*restarts, "limit", plain_node("0", found->restart->where));
}

bool is_policy(Reading& reading, const YamlNode* policy) {
  if (is_never(policy) || policy->text == "Always" || policy->text == "OnFailure" || policy->text == "ExitCode")
    return true;
  reading.error("E1802", policy->where, "there is no restartPolicy `" + escaped(policy->text) + "`",
                "it is Always, OnFailure, Never or ExitCode");
  return false;
}

// The operator adds its variables last, so they replace those of the container with their names.
void drop_replaced(Reading& reading, PodGroup& pod) {
  for (const auto& [name, text] : pod.added) {
    const size_t set =
        std::erase_if(pod.env.entries, [&name = name](const YamlEntry& each) { return each.key == name; }) +
        pod.templates.erase(name);
    if (set > 0)
      reading.note(pod.where, "`" + escaped(name) + "` of the container has no effect: the operator sets the variable");
  }
}

// As the operators' webhooks do it. `containers`: the name that the operator looks for; several: any.
void check_replica(Reading& reading, std::string_view field, std::string_view role, const YamlNode& spec,
                   const std::vector<std::string_view>& containers) {
  const YamlNode* replicas = child(&spec, "replicas");
  const bool one_master = role == "Master" && (field == "pytorchReplicaSpecs" || field == "xgbReplicaSpecs");
  const auto count = number_in(replicas);
  if ((one_master || role == "Launcher") && count && *count != 1)
    reading.error("E1802", replicas->where, "there is one " + std::string(role) + ", not " + std::to_string(*count),
                  "write `replicas: 1`; Kubernetes would reject it too");
  const YamlNode* list = find(&spec, {"template", "spec", "containers"});
  if (containers.size() != 1 || list == nullptr || list->items.empty()) return;
  if (named(list, containers.front()) != nullptr) return;
  const YamlNode* name = child(&list->items.front(), "name");
  const std::string wanted(containers.front());
  reading.error("E1802", (name == nullptr ? list->items.front() : *name).where,
                "the operator looks for a container called `" + wanted + "`, and this pod has none",
                "write `name: " + wanted + "`; Kubernetes would reject it too");
}

// Role names are written with a capital; the operator accepts any case.
const YamlNode* spec_of_role(const YamlNode& specs, std::string_view role) {
  const auto found = std::find_if(specs.entries.begin(), specs.entries.end(),
                                  [&](const YamlEntry& entry) { return lower(entry.key) == lower(role); });
  return found == specs.entries.end() ? nullptr : &found->value;
}

}  // namespace

std::string restart_of(const ReplicaGroup& group) { return is_never(group.restart) ? "Never" : group.restart->text; }

GroupSize ReplicaGroup::size() const {
  return {plain_node(range.empty() ? std::to_string(nodes) : range, where), std::nullopt};
}

std::vector<ReplicaGroup> read_replicas(Reading& reading, YamlNode& job, const YamlNode& document,
                                        std::string_view field, std::initializer_list<std::string_view> roles,
                                        const std::vector<std::string_view>& containers, const AddedVariables& added) {
  std::vector<ReplicaGroup> groups;
  const YamlNode* specs = child(child(&document, "spec"), field);
  for (const std::string_view role : roles) {
    const YamlNode* spec = specs == nullptr ? nullptr : spec_of_role(*specs, role);
    const YamlNode* replicas = child(spec, "replicas");
    const YamlNode* pod = child(spec, "template");
    if (spec != nullptr) check_replica(reading, field, role, *spec, containers);
    if (spec == nullptr || (replicas != nullptr && replicas->text == "0")) continue;
    ReplicaGroup& group = groups.emplace_back();
    group.role = role;
    group.where = replicas == nullptr ? spec->where : replicas->where;
    group.nodes = count_at_least(reading, replicas, 1, "replicas").value_or(1);
    const YamlNode* restart = child(spec, "restartPolicy");
    if (is_policy(reading, restart)) group.restart = restart;
    if (pod == nullptr) {
      reading.error("E1806", spec->where, "this replica spec has no pod", "add `template`");
      groups.pop_back();
      continue;
    }
    group.pod = read_pod(reading, job, *pod, lower(role), containers, added);
    drop_replaced(reading, group.pod);
  }
  const std::string name = text_of(find(&document, {"metadata", "name"}));
  for (ReplicaGroup& each : groups) {
    if (name.empty()) break;
    replace_host_name(reading, each.pod, {name + "-" + lower(groups.front().role) + "-0", "", reading.name_space()});
    for (const ReplicaGroup& other : groups)
      note_other_pods(reading, each.pod, {.prefix = name + "-" + lower(other.role) + "-", .one_index = true});
  }
  const bool has_roles = specs != nullptr && !specs->entries.empty();
  if (groups.empty() && has_roles)
    reading.error("E1806", specs->where, "all roles of this job have `replicas: 0`", "write 1 or more for one of them");
  else if (groups.empty())
    reading.error("E1806", document.where, "this job has no replicas", "add spec." + std::string(field));
  return groups;
}

void join_same(std::vector<ReplicaGroup>& groups, const std::string& name, bool elastic) {
  const bool same = std::all_of(groups.begin(), groups.end(), [&](const ReplicaGroup& each) {
    return is_same(each.pod, groups.front().pod) && restart_of(each) == restart_of(groups.front()) &&
           (elastic || !reads_pod_name(each.pod));
  });
  if (groups.size() < 2 || !same) return;
  uint64_t nodes = 0;
  for (const ReplicaGroup& each : groups) {
    nodes += each.nodes;
    if (groups[0].restart == nullptr) groups[0].restart = each.restart;
  }
  groups.resize(1);
  groups[0].nodes = nodes;
  groups[0].pod.name = name;
}

void read_restart_policies(YamlNode& job, const std::vector<ReplicaGroup>& groups, bool of_job) {
  const auto found =
      std::find_if(groups.begin(), groups.end(), [](const ReplicaGroup& each) { return !is_never(each.restart); });
  if (found == groups.end()) {
    if (!of_job) restart_nothing(job, groups);
    return;
  }
  YamlNode& restarts = map_at(job, "restarts", found->restart->where);
  if (child(&restarts, "limit") == nullptr)
    put(restarts, "limit", plain_node(of_job ? kOfJobs : kUnlimited, found->restart->where));
  const bool same = std::all_of(groups.begin(), groups.end(),
                                [&](const ReplicaGroup& each) { return restart_of(each) == restart_of(*found); });
  for (const ReplicaGroup& each : groups) {
    // The operators' defaults differ, so a role without a policy restarts as the others.
    const bool rules = each.restart != nullptr && (is_never(each.restart) || each.restart->text == "ExitCode");
    if (rules) add_never_on(restarts, each, same ? "" : "group " + each.pod.name + " ");
    if (same) return;
  }
}

void read_run_policy(Reading& reading, YamlNode& job, const YamlNode* spec) {
  const YamlNode* policy = child(spec, "runPolicy");
  read_limits(reading, job, policy);
  read_restarts(reading, job, child(policy, "backoffLimit"), "backoffLimit");
  const std::string manager = text_of(child(policy, "managedBy"));
  check_manager(reading, policy, manager == kMpiController ? kMpiController : kOperatorController);
  if (!reading.in_cluster()) return;
  const YamlNode* scheduling = child(policy, "schedulingPolicy");
  const YamlNode* queue = child(scheduling, "queue");
  const YamlNode* of_label = find(&job, {"kubernetes", "queue"});
  if (queue != nullptr && of_label == nullptr)
    put(map_at(job, "kubernetes", queue->where), "queue", *queue);
  else if (queue != nullptr && queue->text != of_label->text)
    reading.note(queue->where, "`schedulingPolicy.queue: " + escaped(queue->text) +
                                   "` has no effect: the label of Kueue names the queue `" + escaped(of_label->text) +
                                   "`");
  if (const YamlNode* priority = child(scheduling, "priorityClass"))
    put(map_at(job, "kubernetes", priority->where), "priority_class", *priority);
}

void mark_last_group(YamlNode& job, std::string_view key, const std::string& value) {
  YamlNode* groups = child(&job, "groups");
  if (groups == nullptr || groups->items.empty()) return;
  put(groups->items.back(), key, text_node(value, groups->items.back().where));
}

}  // namespace muster
