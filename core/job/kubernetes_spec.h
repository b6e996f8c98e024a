// What a job file says for Kubernetes alone (`kubernetes:`), as plain values. The rest of a job means there what it means
// everywhere; backends/kubernetes/manifest/manifest.h makes objects of both.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/time.h"

namespace muster {

// usual: the cluster's own rule, which goes by the image's tag.
enum class PullPolicy { usual, always, if_not_present, never };

// Who starts all pods of a job or none. none: the cluster's scheduler places each by itself.
enum class PodGang { none, coscheduling, volcano, kai };

// A folder of the pods of ranks that the image does not have. One of claim, host_path, memory_bytes, files and secret
// says where it comes from.
struct VolumeSpec {
  std::string name;
  std::string mount;     // an absolute path in the pods
  std::string sub_path;  // of what is mounted
  bool read_only = false;
  std::string claim;                         // a PersistentVolumeClaim of the namespace
  std::string host_path;                     // a folder of the node
  uint64_t memory_bytes = 0;                 // a folder in memory
  std::map<std::string, std::string> files;  // names and texts: a ConfigMap of the job's own
  std::string secret;                        // a Secret of the namespace
  bool operator==(const VolumeSpec&) const = default;
};

// Of the user's container. restricted: what PodSecurity asks for by that name.
struct PodSecurity {
  bool restricted = false;
  bool privileged = false;
  std::optional<uint32_t> user;
  std::optional<uint32_t> group;
  std::optional<uint32_t> fs_group;
  std::vector<std::string> capabilities;  // added: IPC_LOCK
  bool operator==(const PodSecurity&) const = default;
};

// What groups may say for themselves, over the job's: empty texts and lists leave it as it is, maps are joined.
struct GroupPods {
  std::string image;
  std::map<std::string, std::string> node_selector;
  std::map<std::string, std::string> resources;
  std::string tolerations;  // as of the job
  bool operator==(const GroupPods&) const = default;
};

struct KubernetesSpec {
  std::string image;         // of the ranks
  std::string muster_image;  // ours; empty: muster:VERSION
  PullPolicy pull_policy = PullPolicy::usual;
  std::vector<std::string> pull_secrets;
  std::string cluster_namespace;  // empty: that of the context
  std::string service_account;
  std::map<std::string, std::string> node_selector;
  std::string tolerations;  // a JSON list in Kubernetes' own words; empty: none
  std::string priority_class;
  std::string runtime_class;
  std::string scheduler;  // empty: the gang's, else the cluster's
  bool host_network = false;
  bool host_ipc = false;
  uint64_t shm_bytes = 0;  // of /dev/shm; 0: what the container runtime gives
  std::vector<VolumeSpec> volumes;
  std::map<std::string, std::string> resources;  // of each pod of ranks: requests, which are limits too
  std::string gpu_resource = "nvidia.com/gpu";
  PodSecurity security;
  std::map<std::string, std::string> labels;  // of all objects and pods
  std::map<std::string, std::string> annotations;
  std::string exclusive_topology;  // a node label: each group has a domain of its own
  std::string pack;                // all pods of ranks within one domain of this node label
  std::string spread;              // each in another
  std::string queue;               // Kueue's, or that of the gang's scheduler
  PodGang gang = PodGang::none;
  std::optional<Duration> ttl;  // so long after its end the JobSet goes; none: it stays
  bool suspend = false;
  Duration deadline{0};  // of the cluster's own; 0: none
  std::string patch;     // a JSON object that is merged over the JobSet; empty: none
  bool operator==(const KubernetesSpec&) const = default;
};

std::string_view to_string(PullPolicy value);
std::string_view to_string(PodGang value);

}  // namespace muster
