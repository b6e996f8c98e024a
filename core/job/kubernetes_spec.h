// SPDX-License-Identifier: Apache-2.0
// The map `kubernetes` of a job file, as plain values. The other keys of a job mean the same for all backends.
// backends/kubernetes/manifest/manifest.h makes objects from both.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/time.h"

namespace muster {

// usual: the cluster decides by the tag of the image.
enum class PullPolicy { usual, always, if_not_present, never };

// The scheduler that starts all pods of a job or none. none: the cluster's scheduler places each pod separately.
enum class PodGang { none, coscheduling, volcano, kai };

// A volume of the pods of ranks. Exactly one of claim, host_path, memory_bytes, files and secret is its source.
struct VolumeSpec {
  std::string name;
  std::string mount;     // an absolute path in the pods
  std::string sub_path;  // mounts only this path of the volume
  bool read_only = false;
  std::string claim;                         // a PersistentVolumeClaim of the namespace
  std::string host_path;                     // a folder of the node
  uint64_t memory_bytes = 0;                 // a folder in memory
  std::map<std::string, std::string> files;  // names and texts; muster makes a ConfigMap of them
  std::string secret;                        // a Secret of the namespace
  bool operator==(const VolumeSpec&) const = default;
};

// Security of the user's container. restricted: the Pod Security Standard of that name.
struct PodSecurity {
  bool restricted = false;
  bool privileged = false;
  std::optional<uint32_t> user;
  std::optional<uint32_t> group;
  std::optional<uint32_t> fs_group;
  std::vector<std::string> capabilities;  // added: IPC_LOCK
  bool operator==(const PodSecurity&) const = default;
};

// Settings of a group that override those of the job. Empty texts and lists override nothing; maps are merged.
struct GroupPods {
  std::string image;
  std::map<std::string, std::string> node_selector;
  std::map<std::string, std::string> resources;
  std::string tolerations;  // as KubernetesSpec::tolerations
  bool operator==(const GroupPods&) const = default;
};

struct KubernetesSpec {
  std::string image;         // of the ranks
  std::string muster_image;  // of muster; empty: muster:VERSION
  PullPolicy pull_policy = PullPolicy::usual;
  std::vector<std::string> pull_secrets;
  std::string cluster_namespace;  // empty: that of kubectl's context
  std::string service_account;
  std::map<std::string, std::string> node_selector;
  std::string tolerations;  // a JSON list, as Kubernetes writes it; empty: none
  std::string priority_class;
  std::string runtime_class;
  std::string scheduler;  // empty: that of `gang`, else that of the cluster
  bool host_network = false;
  bool host_ipc = false;
  uint64_t shm_bytes = 0;  // of /dev/shm; 0: the default of the container runtime
  std::vector<VolumeSpec> volumes;
  std::map<std::string, std::string> resources;  // of each pod of ranks: requests and limits
  std::string gpu_resource = "nvidia.com/gpu";
  PodSecurity security;
  std::map<std::string, std::string> labels;  // of all objects and pods
  std::map<std::string, std::string> annotations;
  std::string exclusive_topology;  // a node label: each group gets its own domain
  std::string pack;                // all pods of ranks within one domain of this node label
  std::string spread;              // a node label: each pod of ranks in a different domain
  std::string queue;               // of Kueue, or of the scheduler of `gang`
  PodGang gang = PodGang::none;
  std::optional<Duration> ttl;  // time after which the ended JobSet is deleted; nullopt: it stays
  bool suspend = false;
  Duration deadline{0};  // enforced by the cluster; 0: none
  std::string patch;     // a JSON object that is merged into the JobSet; empty: none
  bool operator==(const KubernetesSpec&) const = default;
};

std::string_view to_string(PullPolicy value);
std::string_view to_string(PodGang value);

}  // namespace muster
