// SPDX-License-Identifier: Apache-2.0
#include "core/job/file/kubeflow/pod_cluster.h"

#include <algorithm>
#include <array>

#include "core/base/text.h"
#include "core/job/file/kubeflow/fields/pod_fields.h"
#include "core/job/file/kubeflow/tree/node_tools.h"
#include "core/job/pod_words.h"

namespace muster {
namespace {

using Kind = YamlNode::Kind;

struct Renamed {
  std::string_view theirs;
  std::string_view ours;
};
// Settings that muster has for all pods of a job only. While the groups are read, they are in `kubernetes` of each group.
constexpr std::array<Renamed, 6> kPodSettings = {{
    {"serviceAccountName", "service_account"},
    {"priorityClassName", "priority_class"},
    {"runtimeClassName", "runtime_class"},
    {"schedulerName", "scheduler"},
    {"hostNetwork", "host_network"},
    {"hostIPC", "host_ipc"},
}};
constexpr Renamed kPullPolicy{"imagePullPolicy", "pull_policy"};
constexpr const char* kShm = "shm";
constexpr const char* kPullSecrets = "pull_secrets";
constexpr std::array<Renamed, 2> kGroupKeys = {{{"nodeSelector", "node_selector"}, {"tolerations", "tolerations"}}};

constexpr std::string_view kOfTrainer = "trainer.kubeflow.org/";  // labels that only its controller reads

bool is_shm(const YamlNode& mount) { return text_of(child(&mount, "mountPath")) == "/dev/shm"; }

// The size of the volume that is mounted at /dev/shm in memory; null: none.
const YamlNode* shm_size(const YamlNode& pod, const YamlNode& mount) {
  const YamlNode* volume = named(child(&pod, "volumes"), text_of(child(&mount, "name")));
  const YamlNode* folder = child(volume, "emptyDir");
  return text_of(child(folder, "medium")) == "Memory" ? child(folder, "sizeLimit") : nullptr;
}

// "8Gi" as muster writes it: "8GiB".
YamlNode with_unit(const YamlNode& quantity) { return plain_node(quantity.text + "B", quantity.where); }

// The container in the patch of a pod template.
YamlNode& patched_container(YamlNode& pod, const SourceRange& where) {
  YamlNode& containers = list_at(map_at(pod, "spec", where), "containers", where);
  if (containers.items.empty()) {
    containers.items.push_back(map_node(where));
    put(containers.items.back(), "name", text_node(pod::kAgentContainer, where));
  }
  return containers.items.front();
}

std::vector<const YamlEntry*> passed_entries(const YamlNode& map, ManifestFields fields) {
  std::vector<const YamlEntry*> entries;
  for (const YamlEntry& entry : map.entries) {
    const ManifestField* field = find_field(fields, entry.key);
    if (field != nullptr && field->on_cluster == FieldFate::passed && !is_empty(entry.value)) entries.push_back(&entry);
  }
  return entries;
}

// Volumes stay as they are written, except that in memory at /dev/shm.
void pass_volumes(const YamlNode& spec, const YamlNode& container, PodGroup& group) {
  std::string shm;
  const YamlNode* mounts = child(&container, "volumeMounts");
  for (size_t at = 0; mounts != nullptr && at < mounts->items.size(); ++at) {
    const YamlNode& mount = mounts->items[at];
    if (const YamlNode* size = is_shm(mount) ? shm_size(spec, mount) : nullptr) {
      put(group.pods, kShm, *size);
      shm = text_of(child(&mount, "name"));
      continue;
    }
    list_at(patched_container(group.patch, mount.where), "volumeMounts", mount.where).items.push_back(mount);
  }
  const YamlNode* volumes = child(&spec, "volumes");
  for (size_t at = 0; volumes != nullptr && at < volumes->items.size(); ++at) {
    const YamlNode& volume = volumes->items[at];
    if (text_of(child(&volume, "name")) == shm) continue;
    list_at(map_at(group.patch, "spec", volume.where), "volumes", volume.where).items.push_back(volume);
  }
}

void pass_variables(PodGroup& group, const Variables::Passed& variables) {
  if (variables.env.empty() && variables.env_from.empty()) return;
  YamlNode& container = patched_container(group.patch, group.where);
  for (const YamlNode& each : variables.env) list_at(container, "env", each.where).items.push_back(each);
  for (const YamlNode& each : variables.env_from) list_at(container, "envFrom", each.where).items.push_back(each);
}

// If requests and limits of a resource are the same, or there is only a limit, they become `resources` of the group. Else they are
// passed on, as claims are.
void read_resources(const YamlNode& container, PodGroup& group) {
  const YamlNode* requests = find(&container, {"resources", "requests"});
  const YamlNode* limits = find(&container, {"resources", "limits"});
  for (const auto& [list, kind] : {std::pair(requests, "requests"), std::pair(limits, "limits")}) {
    if (list == nullptr) continue;
    for (const YamlEntry& entry : list->entries) {
      const YamlNode text = text_node(entry.value.text, entry.value.where);
      const YamlNode* other = child(list == requests ? limits : requests, entry.key);
      const bool only_request = list == requests && other == nullptr;
      if (!only_request) put(map_at(group.pods, "resources", list->where), entry.key, text);
      if (!only_request && (other == nullptr || other->text == entry.value.text)) continue;
      YamlNode& patched = map_at(patched_container(group.patch, group.where), "resources", list->where);
      put(map_at(patched, kind, list->where), entry.key, text);
      // The CPUs of the worker would be the limit too.
      if (only_request && entry.key == "cpu") put(map_at(patched, "limits", list->where), "cpu", YamlNode());
    }
  }
  const YamlNode* resources = child(&container, "resources");
  if (resources == nullptr) return;
  for (const YamlEntry* entry : passed_entries(*resources, resource_fields()))
    put(map_at(patched_container(group.patch, group.where), "resources", resources->where), entry->key, entry->value);
}

void read_secrets(YamlNode& pods, const YamlNode& spec) {
  const YamlNode* secrets = child(&spec, "imagePullSecrets");
  if (secrets == nullptr || secrets->kind != Kind::sequence) return;
  YamlNode names = list_node(secrets->where);
  for (const YamlNode& each : secrets->items)
    names.items.push_back(text_node(text_of(child(&each, "name")), each.where));
  put(pods, kPullSecrets, std::move(names));
}

void quote_each(YamlNode& map) {
  for (YamlEntry& entry : map.entries) quote_texts(entry.value);
}

// Labels and annotations become those of `ours`.
void pass_metadata(YamlNode& ours, const YamlNode* metadata) {
  if (metadata == nullptr) return;
  for (const YamlEntry* entry : passed_entries(*metadata, template_metadata_fields())) {
    YamlNode& passed = put(map_at(ours, "metadata", entry->key_where), entry->key, entry->value);
    if (passed.kind == Kind::map) quote_each(passed);
  }
}

// A setting of one group; absent: its pods have none.
struct GroupValue {
  std::string group;
  SourceRange where;
  std::optional<YamlNode> value;

  std::string text() const { return value && !is_empty(*value) ? flat_text(*value) : ""; }
};

// Takes the setting out of all groups.
std::vector<GroupValue> take_values(YamlNode& groups, std::string_view key) {
  std::vector<GroupValue> values;
  for (YamlNode& group : groups.items) {
    YamlNode* pods = child(&group, "kubernetes");
    const YamlNode* there = child(pods, key);
    values.push_back({text_of(child(&group, "name")), group.where, std::nullopt});
    if (there == nullptr) continue;
    values.back().value = *there;
    std::erase_if(pods->entries, [&](const YamlEntry& each) { return each.key == key; });
    if (!pods->entries.empty()) continue;
    std::erase_if(group.entries, [](const YamlEntry& each) { return each.key == "kubernetes"; });
  }
  return values;
}

bool differ(const std::vector<GroupValue>& values) {
  return std::any_of(values.begin(), values.end(),
                     [&](const GroupValue& each) { return each.text() != values.front().text(); });
}

// The first value; null: no group has one.
const YamlNode* first_of(const std::vector<GroupValue>& values) {
  const auto found =
      std::find_if(values.begin(), values.end(), [](const GroupValue& each) { return each.value.has_value(); });
  return found == values.end() ? nullptr : &*found->value;
}

// The patch of the pod template of a group in the job's JobSet.
YamlNode& patch_of(YamlNode& job, const GroupValue& group) {
  const SourceRange& where = group.where;
  YamlNode& spec = map_at(map_at(map_at(job, "kubernetes", where), "patch", where), "spec", where);
  YamlNode& jobs = list_at(spec, "replicatedJobs", where);
  YamlNode* of_group = named(&jobs, group.group);
  if (of_group == nullptr) {
    of_group = &jobs.items.emplace_back(map_node(where));
    put(*of_group, "name", text_node(group.group, where));
  }
  return map_at(map_at(map_at(*of_group, "template", where), "spec", where), "template", where);
}

// `add` writes the value into the patch of a group's pod template, if groups differ. Otherwise it is one of the job.
template <typename Add>
void share_setting(YamlNode& job, YamlNode& groups, std::string_view key, const Add& add) {
  const std::vector<GroupValue> values = take_values(groups, key);
  if (!differ(values)) {
    if (const YamlNode* value = first_of(values)) put(map_at(job, "kubernetes", value->where), key, *value);
    return;
  }
  for (const GroupValue& each : values) {
    if (!each.text().empty()) add(patch_of(job, each), *each.value);
  }
}

void add_to_pod(YamlNode& pod, std::string_view key, const YamlNode& value) {
  YamlNode& spec = map_at(pod, "spec", value.where);
  put(spec, key, value);
  // As muster does it for `host_network` of the job: else no pod finds the coordinator.
  if (key == "hostNetwork" && child(&spec, "dnsPolicy") == nullptr)
    put(spec, "dnsPolicy", text_node("ClusterFirstWithHostNet", value.where));
}

// Memory at /dev/shm, as muster writes it for `shm` of the job.
void add_shm(YamlNode& pod, const YamlNode& size) {
  const SourceRange& where = size.where;
  YamlNode volume = map_node(where);
  put(volume, "name", text_node("dshm", where));
  YamlNode& folder = map_at(volume, "emptyDir", where);
  put(folder, "medium", text_node("Memory", where));
  put(folder, "sizeLimit", size);
  YamlNode mount = map_node(where);
  put(mount, "name", text_node("dshm", where));
  put(mount, "mountPath", text_node("/dev/shm", where));
  list_at(map_at(pod, "spec", where), "volumes", where).items.push_back(std::move(volume));
  list_at(patched_container(pod, where), "volumeMounts", where).items.push_back(std::move(mount));
}

// `priority_class` of the job is that of `schedulingPolicy`.
void note_own_priorities(Reading& reading, const YamlNode& job, const YamlNode& groups) {
  const YamlNode* of_job = find(&job, {"kubernetes", "priority_class"});
  for (const YamlNode& group : groups.items) {
    const YamlNode* own = find(&group, {"kubernetes", "priority_class"});
    if (of_job == nullptr || own == nullptr || is_empty(*own) || own->text == of_job->text) continue;
    reading.note(of_job->where, "`schedulingPolicy.priorityClass: " + escaped(of_job->text) +
                                    "` has no effect on pods with a `priorityClassName`");
  }
}

// All pods get the pull secrets of all, because muster's own pods need them too.
void share_pull_secrets(YamlNode& job, YamlNode& groups) {
  for (const GroupValue& each : take_values(groups, kPullSecrets)) {
    if (!each.value) continue;
    YamlNode& all = list_at(map_at(job, "kubernetes", each.where), kPullSecrets, each.value->where);
    for (const YamlNode& name : each.value->items) {
      const auto same = [&](const YamlNode& there) { return there.text == name.text; };
      if (std::none_of(all.items.begin(), all.items.end(), same)) all.items.push_back(name);
    }
  }
}

void share_workdir(Reading& reading, YamlNode& job, YamlNode& groups) {
  const std::vector<GroupValue> values = take_values(groups, kWorkdir);
  const YamlNode* first = first_of(values);
  if (first == nullptr || child(&job, kWorkdir) != nullptr) return;  // mpirun has a folder for all ranks
  if (differ(values))
    return reading.error("E1803", first->where,
                         "muster starts all ranks of a job in one folder, and `workingDir` differs",
                         "give all pods the same `workingDir`, or change the folder in the commands");
  put(job, kWorkdir, *first);
}

}  // namespace

void share_pod_settings(Reading& reading, YamlNode& job) {
  if (!reading.in_cluster() || child(&job, "groups") == nullptr) return;
  // A new key of `job` moves the others.
  YamlNode groups = std::move(*child(&job, "groups"));
  note_own_priorities(reading, job, groups);
  for (const Renamed& key : kPodSettings)
    share_setting(job, groups, key.ours,
                  [&](YamlNode& pod, const YamlNode& value) { add_to_pod(pod, key.theirs, value); });
  share_setting(job, groups, kPullPolicy.ours, [](YamlNode& pod, const YamlNode& value) {
    put(patched_container(pod, value.where), kPullPolicy.theirs, value);
  });
  share_setting(job, groups, kShm, add_shm);
  if (YamlNode* size = child(child(&job, "kubernetes"), kShm)) *size = with_unit(*size);
  share_pull_secrets(job, groups);
  share_workdir(reading, job, groups);
  *child(&job, "groups") = std::move(groups);
}

bool has_other_settings(const PodGroup& pods, const PodGroup& others) {
  std::vector<std::string_view> keys{kPullPolicy.ours, kShm, kPullSecrets};
  for (const Renamed& key : kPodSettings) keys.push_back(key.ours);
  return std::any_of(keys.begin(), keys.end(), [&](std::string_view key) {
    const YamlNode* value = child(&pods.pods, key);
    const YamlNode* other = child(&others.pods, key);
    return value != nullptr && !is_empty(*value) && (other == nullptr || flat_text(*other) != flat_text(*value));
  });
}

void read_cluster_pod(YamlNode& job, const YamlNode& pod_template, const YamlNode& container, PodGroup& group,
                      const Variables::Passed& variables) {
  const YamlNode empty = map_node(pod_template.where);
  const YamlNode* there = child(&pod_template, "spec");
  const YamlNode& spec = there == nullptr ? empty : *there;
  YamlNode& kubernetes = map_at(job, "kubernetes", pod_template.where);
  if (const YamlNode* image = child(&container, "image")) {
    put(group.pods, "image", *image);
    if (child(&kubernetes, "image") == nullptr) put(kubernetes, "image", *image);
  }
  if (const YamlNode* folder = child(&container, "workingDir")) put(group.pods, kWorkdir, *folder);
  if (const YamlNode* policy = child(&container, kPullPolicy.theirs)) put(group.pods, kPullPolicy.ours, *policy);
  if (const YamlNode* account = child(&spec, "serviceAccount")) put(group.pods, "service_account", *account);
  for (const Renamed& key : kPodSettings) {
    if (const YamlNode* value = child(&spec, key.theirs)) put(group.pods, key.ours, *value);
  }
  for (const Renamed& key : kGroupKeys) {
    const YamlNode* value = child(&spec, key.theirs);
    if (value == nullptr) continue;
    YamlNode& ours = put(group.pods, key.ours, *value);
    if (ours.kind == Kind::map) quote_each(ours);
  }
  read_secrets(group.pods, spec);
  read_resources(container, group);
  pass_volumes(spec, container, group);
  pass_variables(group, variables);
  for (const YamlEntry* entry : passed_entries(spec, pod_fields()))
    put(map_at(group.patch, "spec", entry->key_where), entry->key, entry->value);
  for (const YamlEntry* entry : passed_entries(container, container_fields()))
    put(patched_container(group.patch, entry->key_where), entry->key, entry->value);
  pass_metadata(group.patch, child(&pod_template, "metadata"));
}

void read_cluster_job(const YamlNode& job_template, PodGroup& group) {
  const YamlNode* theirs = child(&job_template, "metadata");
  if (theirs == nullptr) return;
  YamlNode metadata = *theirs;
  if (YamlNode* labels = child(&metadata, "labels"))
    std::erase_if(labels->entries, [](const YamlEntry& each) { return each.key.starts_with(kOfTrainer); });
  group.job_patch = map_node(job_template.where);
  pass_metadata(group.job_patch, &metadata);
}

}  // namespace muster
