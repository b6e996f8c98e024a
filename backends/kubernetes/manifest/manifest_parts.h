// SPDX-License-Identifier: Apache-2.0
// Parts of manifest.h: pod templates, counts of a group. Private to backends/kubernetes/manifest. JSON is passed as text, because
// nlohmann's types are used only in .cc files.
#pragma once

#include <map>
#include <string>

#include "backends/kubernetes/manifest/manifest.h"
#include "core/job/pod_words.h"

namespace muster {

constexpr const char* kManagedBy = "app.kubernetes.io/managed-by";
constexpr const char* kRoleLabel = "muster.dev/role";  // agent, coordinator, verdict
constexpr const char* kAgentRole = "agent";

// Workers and GPUs of each pod of a group, with `auto` replaced by numbers.
struct PodCounts {
  uint32_t workers = 1;
  uint32_t gpus_of_worker = 0;
  uint64_t gpus = 0;  // of the pod
};
PodCounts pod_counts(const JobSpec& spec, const GroupSpec& group);

// The job's settings, overridden by the group's.
std::map<std::string, std::string> resources_of(const JobSpec& spec, const GroupSpec& group);
std::map<std::string, std::string> node_selector_of(const JobSpec& spec, const GroupSpec& group);
std::string pod_image_of(const JobSpec& spec, const GroupSpec& group);

// muster's labels and the user's. `role`: only for pods.
std::map<std::string, std::string> labels_of(const JobSpec& spec, const ClusterJob& job, const std::string& role = "");

// True if pods of ranks may stay unready, so that lost pods are replaced at once. False with a Kueue queue, which counts ready pods.
bool replaces_at_once(const KubernetesSpec& spec);

// The number of pods that must start together: the coordinator's and those of ranks.
uint64_t pods_of_gang(const JobSpec& spec);

// Pod templates: {"metadata":…,"spec":…}.
std::string agent_template(const JobSpec& spec, const ClusterJob& job, size_t group);
std::string coordinator_template(const JobSpec& spec, const ClusterJob& job);
std::string verdict_template(const JobSpec& spec, const ClusterJob& job);

// Kubernetes' rules for names, labels and quantities.
bool is_dns_label(std::string_view text);
bool is_dns_name(std::string_view text);
bool is_label_key(std::string_view text);
bool is_label_value(std::string_view text);
bool is_quantity(std::string_view text);
// "8GB" → "8G", "8GiB" → "8Gi"; empty: no suggestion.
std::string nearest_quantity(std::string_view text);

}  // namespace muster
