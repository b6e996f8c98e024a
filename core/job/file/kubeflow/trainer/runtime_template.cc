// SPDX-License-Identifier: Apache-2.0
#include "core/job/file/kubeflow/trainer/runtime_template.h"

#include <nlohmann/json.hpp>

#include "core/job/file/kubeflow/trainer/runtime_patch.h"
#include "core/job/file/kubeflow/trainer/trainer_variables.h"
#include "core/job/pods/merge_patch.h"
#include "core/job/pods/pod_json.h"

namespace muster {
namespace {

using Json = nlohmann::ordered_json;

// The user `mpiuser` in images for Trainer's MPI. The ssh keys belong to it.
constexpr uint32_t kMpiUser = 1000;

bool is_mpi(const JobSpec& spec) { return spec.framework == Framework::mpi; }

// Requests and limits. `patched`: of the container, as kubernetes.patch has them.
Json resources_of(const JobSpec& spec, const GroupSpec& group, const std::string& patched) {
  Json limits = Json::object();
  const uint64_t workers = group.workers.automatic ? 1 : group.workers.count;
  const Json own = Json::parse(patched);
  if (own.is_null()) return Json::object();
  const Json::json_pointer requested("/requests/cpu");
  // `worker.cpus` of a manifest can be a request without a limit.
  const bool only_requests_cpus =
      own.contains(requested) && !own[requested].is_null() && !own.contains("/limits/cpu"_json_pointer);
  if (const uint64_t gpus = group.worker.gpus.automatic ? 0 : group.worker.gpus.count * workers; gpus > 0)
    limits[spec.kubernetes.gpu_resource] = gpus;
  if (group.worker.cpus > 0 && !only_requests_cpus) limits["cpu"] = group.worker.cpus * workers;
  if (group.worker.memory_bytes > 0) limits["memory"] = quantity(group.worker.memory_bytes * workers);
  for (const auto& [name, value] : spec.kubernetes.resources) limits[name] = value;
  for (const auto& [name, value] : group.kubernetes.resources) limits[name] = value;
  const Json both = limits.empty() ? limits : Json{{"requests", limits}, {"limits", limits}};
  return Json::parse(merge_patch(both.dump(), patched));
}

Json security_of(const JobSpec& spec) {
  PodSecurity wanted = spec.kubernetes.security;
  if (is_mpi(spec)) {
    wanted.user = wanted.user.value_or(kMpiUser);
    wanted.group = wanted.group.value_or(kMpiUser);
  }
  return Json::parse(security_json(wanted));
}

Json container_of(const JobSpec& spec, const GroupSpec& group) {
  Json container = {{"name", kTrainerNode}};
  const std::string& image = group.kubernetes.image.empty() ? spec.kubernetes.image : group.kubernetes.image;
  if (!image.empty()) container["image"] = image;
  if (spec.kubernetes.pull_policy != PullPolicy::usual)
    container["imagePullPolicy"] = to_string(spec.kubernetes.pull_policy);
  if (spec.workdir.starts_with('/')) container["workingDir"] = spec.workdir;
  if (Json security = security_of(spec); !security.empty()) container["securityContext"] = security;
  return container;
}

// Without volumes of `files`, of which muster makes a ConfigMap.
void add_volumes(Json& pod, const JobSpec& spec) {
  Json volumes = Json::array();
  Json mounts = Json::array();
  for (const VolumeSpec& each : volumes_of(spec.kubernetes)) {
    if (!each.files.empty()) continue;
    volumes.push_back(Json::parse(volume_json(each, "")));
    mounts.push_back(Json::parse(mount_json(each)));
  }
  if (volumes.empty()) return;
  pod["volumes"] = volumes;
  pod["containers"][0]["volumeMounts"] = mounts;
}

void add_places(Json& pod, const JobSpec& spec, const GroupSpec& group) {
  const KubernetesSpec& wanted = spec.kubernetes;
  std::map<std::string, std::string> selector = wanted.node_selector;
  for (const auto& [label, value] : group.kubernetes.node_selector) selector[label] = value;
  if (!selector.empty()) pod["nodeSelector"] = selector;
  const std::string& tolerations =
      group.kubernetes.tolerations.empty() ? wanted.tolerations : group.kubernetes.tolerations;
  if (!tolerations.empty()) pod["tolerations"] = Json::parse(tolerations, nullptr, false);
}

Json pod_of(const JobSpec& spec, const GroupSpec& group) {
  const KubernetesSpec& wanted = spec.kubernetes;
  Json pod = {{"containers", Json::array({container_of(spec, group)})}};
  for (const auto& [key, value] :
       {std::pair("serviceAccountName", wanted.service_account), std::pair("priorityClassName", wanted.priority_class),
        std::pair("runtimeClassName", wanted.runtime_class), std::pair("schedulerName", wanted.scheduler)}) {
    if (!value.empty()) pod[key] = value;
  }
  if (wanted.host_network) {
    pod["hostNetwork"] = true;
    pod["dnsPolicy"] = "ClusterFirstWithHostNet";  // otherwise pods cannot resolve the names of the others
  }
  if (wanted.host_ipc) pod["hostIPC"] = true;
  for (const std::string& name : wanted.pull_secrets) pod["imagePullSecrets"].push_back({{"name", name}});
  if (is_mpi(spec)) pod["securityContext"]["fsGroup"] = kMpiUser;
  if (wanted.security.fs_group) pod["securityContext"]["fsGroup"] = *wanted.security.fs_group;
  if (spec.timeouts.stop != TimeoutSpec().stop)
    pod["terminationGracePeriodSeconds"] = whole_seconds(spec.timeouts.stop);
  add_places(pod, spec, group);
  add_volumes(pod, spec);
  return pod;
}

Json replicated_job(const char* name, const Json& pod, bool trains) {
  Json job = {{"spec", {{"template", {{"spec", pod}}}}}};
  if (trains) job["metadata"]["labels"]["trainer.kubeflow.org/trainjob-ancestor-step"] = "trainer";
  return {{"name", name}, {"template", job}};
}

// As in Trainer's own runtimes: mpirun in the launcher starts ranks on the nodes over ssh. Trainer writes nothing into
// the container of the nodes, so it has its resources here.
Json jobs_of_mpi(const Json& pod, const Json& resources) {
  Json node = pod;
  Json& container = node["containers"][0];
  container["command"] = Json::array({"/usr/sbin/sshd"});
  container["args"] = Json::array({"-De", "-f", "/home/mpiuser/.sshd_config"});
  if (!resources.empty()) container["resources"] = resources;
  return Json::array({replicated_job(kTrainerLauncher, pod, true), replicated_job(kTrainerNode, node, false)});
}

void note_files(const JobSpec& spec, std::vector<std::string>& notes) {
  for (const VolumeSpec& each : spec.kubernetes.volumes) {
    if (!each.files.empty())
      notes.push_back("kubernetes.volumes." + each.name +
                      ": put its `files` into a ConfigMap, and mount that in the TrainingRuntime");
  }
}

}  // namespace

RuntimeTemplate runtime_template(const JobSpec& spec, const GroupSpec& group) {
  std::vector<std::string> jobs{kTrainerNode};
  if (is_mpi(spec)) jobs.emplace_back(kTrainerLauncher);
  RuntimePatch patch = runtime_patch(spec, group, jobs);
  RuntimeTemplate result;
  result.variables = std::move(patch.variables);
  result.notes = std::move(patch.notes);
  note_files(spec, result.notes);
  const Json resources = resources_of(spec, group, patch.resources);
  Json pod = pod_of(spec, group);
  // `resourcesPerNode` has no claims: with it, Trainer would remove them from the container.
  if (resources.contains("claims"))
    pod["containers"][0]["resources"] = resources;
  else
    result.resources = resources.dump();
  Json set = Json::object();
  if (is_mpi(spec)) {
    set["successPolicy"] = {{"operator", "All"}, {"targetReplicatedJobs", Json::array({kTrainerLauncher})}};
    set["replicatedJobs"] = jobs_of_mpi(pod, resources);
  } else {
    set["replicatedJobs"] = Json::array({replicated_job(kTrainerNode, pod, true)});
  }
  if (spec.restarts.limit > 0) set["failurePolicy"]["maxRestarts"] = spec.restarts.limit;
  if (spec.kubernetes.ttl) set["ttlSecondsAfterFinished"] = whole_seconds(*spec.kubernetes.ttl);
  result.jobset = merge_patch(Json{{"spec", set}}.dump(), patch.changes);
  return result;
}

}  // namespace muster
