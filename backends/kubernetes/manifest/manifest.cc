// SPDX-License-Identifier: Apache-2.0
#include "backends/kubernetes/manifest/manifest.h"

#include <nlohmann/json.hpp>

#include "backends/kubernetes/manifest/manifest_parts.h"
#include "core/job/pods/merge_patch.h"

namespace muster {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kUnlimited = 2'147'483'647;
constexpr const char* kBackoffLimit = "backoffLimit";

std::string namespace_of(const JobSpec& spec, const ClusterJob& job) {
  return job.cluster_namespace.empty() ? spec.kubernetes.cluster_namespace : job.cluster_namespace;
}

Json metadata(const JobSpec& spec, const ClusterJob& job, const std::string& name) {
  Json data = {{"name", name}};
  if (const std::string space = namespace_of(spec, job); !space.empty()) data["namespace"] = space;
  data["labels"] = labels_of(spec, job);
  return data;
}

// Metadata of all objects except the JobSet. With the JobSet's uid, they are owned by it and deleted with it.
Json owned_metadata(const JobSpec& spec, const ClusterJob& job, const std::string& name) {
  Json data = metadata(spec, job, name);
  if (job.owner_uid.empty()) return data;
  data["ownerReferences"] = Json::array({{{"apiVersion", "jobset.x-k8s.io/v1alpha2"},
                                          {"kind", "JobSet"},
                                          {"name", job.name},
                                          {"uid", job.owner_uid},
                                          {"controller", true}}});
  return data;
}

// `limit` and `times`: the field that limits pod failures, and its value.
Json job_template(uint32_t pods, const char* limit, int times, const std::string& pod) {
  return {{"spec",
           {{"completionMode", "Indexed"},
            {"completions", pods},
            {"parallelism", pods},
            {limit, times},
            {"template", Json::parse(pod)}}}};
}

Json replicated_job(const std::string& name, Json job) { return {{"name", name}, {"replicas", 1}, {"template", job}}; }

Json coordinator_job(const JobSpec& spec, const ClusterJob& job) {
  Json coordinator = job_template(1, kBackoffLimit, kUnlimited, coordinator_template(spec, job));
  // With an Indexed Job, the cluster reports the succeeded pod before the completed Job. In between, the JobSet counts the Job as ready and
  // would start the verdict pod in every job.
  coordinator["spec"]["completionMode"] = "NonIndexed";
  if (spec.kubernetes.deadline > Duration(0))
    coordinator["spec"]["activeDeadlineSeconds"] = whole_seconds(spec.kubernetes.deadline);
  return replicated_job(pod::kCoordinatorJob, coordinator);
}

Json group_job(const JobSpec& spec, const ClusterJob& job, size_t index) {
  const GroupSpec& group = spec.groups[index];
  Json agents = Json::object();
  if (!spec.kubernetes.exclusive_topology.empty())
    agents["metadata"]["annotations"]["alpha.jobset.sigs.k8s.io/exclusive-topology"] =
        spec.kubernetes.exclusive_topology;
  // Per index: otherwise the delay before a lost pod is replaced (10 s) doubles with each pod that the group has lost.
  agents.update(job_template(group.max_nodes, "backoffLimitPerIndex", kUnlimited, agent_template(spec, job, index)));
  return replicated_job(group.name, agents);
}

// Starts only when the coordinator is ready, which means that the job has failed.
Json verdict_job(const JobSpec& spec, const ClusterJob& job) {
  Json verdict = replicated_job(pod::kVerdictJob, job_template(1, kBackoffLimit, 0, verdict_template(spec, job)));
  verdict["dependsOn"] = Json::array({{{"name", pod::kCoordinatorJob}, {"status", "Ready"}}});
  return verdict;
}

Json jobset_metadata(const JobSpec& spec, const ClusterJob& job) {
  const KubernetesSpec& wanted = spec.kubernetes;
  Json data = metadata(spec, job, job.name);
  const bool kai = wanted.gang == PodGang::kai;
  if (!wanted.queue.empty() && kai) data["labels"]["kai.scheduler/queue"] = wanted.queue;
  if (!wanted.queue.empty() && !kai && wanted.gang != PodGang::volcano)
    data["labels"]["kueue.x-k8s.io/queue-name"] = wanted.queue;
  Json annotations = wanted.annotations;
  if (kai) annotations["kai.scheduler/batch-min-member"] = std::to_string(pods_of_gang(spec));
  if (!annotations.empty()) data["annotations"] = annotations;
  return data;
}

Json jobset(const JobSpec& spec, const ClusterJob& job) {
  Json jobs = Json::array({coordinator_job(spec, job)});
  Json targets = Json::array({pod::kCoordinatorJob});
  for (size_t i = 0; i < spec.groups.size(); ++i) {
    jobs.push_back(group_job(spec, job, i));
    targets.push_back(spec.groups[i].name);
  }
  jobs.push_back(verdict_job(spec, job));
  Json wanted = {{"network", {{"enableDNSHostnames", true}, {"publishNotReadyAddresses", true}}},
                 {"successPolicy", {{"operator", "All"}, {"targetReplicatedJobs", targets}}},
                 {"failurePolicy", {{"maxRestarts", 0}}}};
  if (spec.kubernetes.ttl) wanted["ttlSecondsAfterFinished"] = whole_seconds(*spec.kubernetes.ttl);
  if (spec.kubernetes.suspend) wanted["suspend"] = true;
  wanted["replicatedJobs"] = jobs;
  return {{"apiVersion", "jobset.x-k8s.io/v1alpha2"},
          {"kind", "JobSet"},
          {"metadata", jobset_metadata(spec, job)},
          {"spec", wanted}};
}

Json config_map(const JobSpec& spec, const ClusterJob& job, const VolumeSpec& volume) {
  return {{"apiVersion", "v1"},
          {"kind", "ConfigMap"},
          {"metadata", owned_metadata(spec, job, job.name + "-" + volume.name)},
          {"data", volume.files}};
}

Json pod_group(const JobSpec& spec, const ClusterJob& job) {
  const KubernetesSpec& wanted = spec.kubernetes;
  const bool volcano = wanted.gang == PodGang::volcano;
  Json group = {{"apiVersion", volcano ? "scheduling.volcano.sh/v1beta1" : "scheduling.x-k8s.io/v1alpha1"},
                {"kind", "PodGroup"},
                {"metadata", owned_metadata(spec, job, job.name)},
                {"spec", {{"minMember", pods_of_gang(spec)}}}};
  if (volcano && !wanted.queue.empty()) group["spec"]["queue"] = wanted.queue;
  if (volcano && !wanted.priority_class.empty()) group["spec"]["priorityClassName"] = wanted.priority_class;
  return group;
}

}  // namespace

std::string secret_name(const ClusterJob& job) { return job.name + pod::kSecretSuffix; }

std::map<std::string, std::string> labels_of(const JobSpec& spec, const ClusterJob& job, const std::string& role) {
  std::map<std::string, std::string> labels = spec.kubernetes.labels;
  labels[kManagedBy] = "muster";
  labels[pod::kJobLabel] = job.name;
  if (!role.empty()) labels[kRoleLabel] = role;
  return labels;
}

std::string job_set_object(const JobSpec& spec, const ClusterJob& job) {
  const std::string whole = jobset(spec, job).dump();
  return spec.kubernetes.patch.empty() ? whole : merge_patch(whole, spec.kubernetes.patch);
}

std::vector<std::string> objects_beside(const JobSpec& spec, const ClusterJob& job) {
  std::vector<std::string> objects;
  for (const VolumeSpec& volume : spec.kubernetes.volumes) {
    if (!volume.files.empty()) objects.push_back(config_map(spec, job, volume).dump());
  }
  if (spec.kubernetes.gang == PodGang::coscheduling || spec.kubernetes.gang == PodGang::volcano)
    objects.push_back(pod_group(spec, job).dump());
  return objects;
}

std::vector<std::string> manifest_objects(const JobSpec& spec, const ClusterJob& job) {
  std::vector<std::string> objects = objects_beside(spec, job);
  objects.push_back(job_set_object(spec, job));
  return objects;
}

std::string secret_object(const JobSpec& spec, const ClusterJob& job, const std::string& token,
                          const std::map<std::string, std::string>& secrets) {
  Json secret = {{"apiVersion", "v1"},
                 {"kind", "Secret"},
                 {"metadata", owned_metadata(spec, job, secret_name(job))},
                 {"type", "Opaque"}};
  if (!job.owner_uid.empty()) secret["immutable"] = true;  // nodes need not watch an immutable Secret
  const std::string values = Json(secrets).dump(-1, ' ', false, Json::error_handler_t::replace);
  secret["stringData"] = {{pod::kTokenKey, token}, {pod::kSecretsKey, values}};
  return secret.dump();
}

}  // namespace muster
