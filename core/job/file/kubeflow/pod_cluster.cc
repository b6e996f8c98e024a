// SPDX-License-Identifier: Apache-2.0
#include "core/job/file/kubeflow/pod_cluster.h"

#include <algorithm>
#include <array>

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
constexpr std::array<Renamed, 7> kPodKeys = {{
    {"serviceAccount", "service_account"},
    {"serviceAccountName", "service_account"},
    {"priorityClassName", "priority_class"},
    {"runtimeClassName", "runtime_class"},
    {"schedulerName", "scheduler"},
    {"hostNetwork", "host_network"},
    {"hostIPC", "host_ipc"},
}};
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
std::string with_unit(const std::string& quantity) { return quantity + "B"; }

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
void pass_volumes(YamlNode& kubernetes, const YamlNode& spec, const YamlNode& container, PodGroup& group) {
  std::string shm;
  const YamlNode* mounts = child(&container, "volumeMounts");
  for (size_t at = 0; mounts != nullptr && at < mounts->items.size(); ++at) {
    const YamlNode& mount = mounts->items[at];
    if (const YamlNode* size = is_shm(mount) ? shm_size(spec, mount) : nullptr) {
      put(kubernetes, "shm", plain_node(with_unit(size->text), size->where));
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

// If requests and limits of a resource are the same, they become `resources` of the group. Else both are passed on, as
// claims are.
void read_resources(const YamlNode& container, PodGroup& group) {
  const YamlNode* requests = find(&container, {"resources", "requests"});
  const YamlNode* limits = find(&container, {"resources", "limits"});
  for (const auto& [list, kind] : {std::pair(requests, "requests"), std::pair(limits, "limits")}) {
    if (list == nullptr) continue;
    for (const YamlEntry& entry : list->entries) {
      const YamlNode text = text_node(entry.value.text, entry.value.where);
      put(map_at(group.pods, "resources", list->where), entry.key, text);
      const YamlNode* other = child(list == requests ? limits : requests, entry.key);
      if (other == nullptr || other->text == entry.value.text) continue;
      YamlNode& patched = patched_container(group.patch, group.where);
      put(map_at(map_at(patched, "resources", list->where), kind, list->where), entry.key, text);
    }
  }
  const YamlNode* resources = child(&container, "resources");
  if (resources == nullptr) return;
  for (const YamlEntry* entry : passed_entries(*resources, resource_fields()))
    put(map_at(patched_container(group.patch, group.where), "resources", resources->where), entry->key, entry->value);
}

void read_secrets(YamlNode& kubernetes, const YamlNode& spec) {
  const YamlNode* secrets = child(&spec, "imagePullSecrets");
  if (secrets == nullptr || secrets->kind != Kind::sequence) return;
  YamlNode names = list_node(secrets->where);
  for (const YamlNode& each : secrets->items)
    names.items.push_back(text_node(text_of(child(&each, "name")), each.where));
  put(kubernetes, "pull_secrets", std::move(names));
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

}  // namespace

void read_cluster_pod(YamlNode& job, const YamlNode& pod_template, const YamlNode& container, PodGroup& group,
                      const Variables::Passed& variables) {
  const YamlNode empty = map_node(pod_template.where);
  const YamlNode* there = child(&pod_template, "spec");
  const YamlNode& spec = there == nullptr ? empty : *there;
  // A new key of `job` moves the others, so this one comes before `kubernetes`.
  if (const YamlNode* folder = child(&container, "workingDir")) put(job, "workdir", *folder);
  YamlNode& kubernetes = map_at(job, "kubernetes", pod_template.where);
  if (const YamlNode* image = child(&container, "image")) {
    put(group.pods, "image", *image);
    if (child(&kubernetes, "image") == nullptr) put(kubernetes, "image", *image);
  }
  if (const YamlNode* policy = child(&container, "imagePullPolicy")) put(kubernetes, "pull_policy", *policy);
  for (const Renamed& key : kPodKeys) {
    if (const YamlNode* value = child(&spec, key.theirs)) put(kubernetes, key.ours, *value);
  }
  for (const Renamed& key : kGroupKeys) {
    const YamlNode* value = child(&spec, key.theirs);
    if (value == nullptr) continue;
    YamlNode& ours = put(group.pods, key.ours, *value);
    if (ours.kind == Kind::map) quote_each(ours);
  }
  read_secrets(kubernetes, spec);
  read_resources(container, group);
  pass_volumes(kubernetes, spec, container, group);
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
