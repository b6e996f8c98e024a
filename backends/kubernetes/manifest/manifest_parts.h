// Pieces of manifest.h: pods, the merge of a patch, what a group comes to. Private to backends/kubernetes/manifest. JSON as text, since
// nlohmann's types stay in sources.
#pragma once

#include <map>
#include <string>

#include "backends/kubernetes/manifest/manifest.h"
#include "core/job/pod_words.h"

namespace muster {

constexpr const char* kManagedBy = "app.kubernetes.io/managed-by";
constexpr const char* kRoleLabel = "muster.dev/role";  // agent, coordinator, verdict
constexpr const char* kAgentRole = "agent";

// What each pod of a group is to hold, once `auto` is a number.
struct PodCounts {
  uint32_t workers = 1;
  uint32_t gpus_of_worker = 0;
  uint64_t gpus = 0;  // of the pod
};
PodCounts pod_counts(const JobSpec& spec, const GroupSpec& group);

// The job's, with the group's over them.
std::map<std::string, std::string> resources_of(const JobSpec& spec, const GroupSpec& group);
std::map<std::string, std::string> node_selector_of(const JobSpec& spec, const GroupSpec& group);
std::string image_of(const JobSpec& spec, const GroupSpec& group);

// Ours and the user's; `role` is told for pods.
std::map<std::string, std::string> labels_of(const JobSpec& spec, const ClusterJob& job, const std::string& role = "");

// Whether pods of ranks may look unready all their life, so that lost ones are made anew at once: no queue of Kueue counts ready ones.
bool replaces_at_once(const KubernetesSpec& spec);

// As Kubernetes counts it: whole seconds, no less than asked.
inline int64_t seconds_of(Duration time) { return std::chrono::ceil<std::chrono::seconds>(time).count(); }

// Pods of ranks and the coordinator: who is to start together.
uint64_t pods_of_gang(const JobSpec& spec);

// Pod templates: {"metadata":…,"spec":…}.
std::string agent_template(const JobSpec& spec, const ClusterJob& job, size_t group);
std::string coordinator_template(const JobSpec& spec, const ClusterJob& job);
std::string verdict_template(const JobSpec& spec, const ClusterJob& job);

// `patch` over `object`, both JSON: maps are joined, null takes a key away, lists of maps that all have a `name` are joined
// by it (a map with "$patch": "delete" takes its namesake away), every other value replaces.
std::string merge_patch(const std::string& object, const std::string& patch);

// What Kubernetes takes as a name, label and quantity.
bool is_dns_label(std::string_view text);
bool is_dns_name(std::string_view text);
bool is_label_key(std::string_view text);
bool is_label_value(std::string_view text);
bool is_quantity(std::string_view text);
// "8GB" → "8G", "8GiB" → "8Gi"; empty: no idea.
std::string nearest_quantity(std::string_view text);

}  // namespace muster
