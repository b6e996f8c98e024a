// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include <algorithm>

#include "backends/kubernetes/manifest/manifest_parts.h"
#include "core/base/text.h"
#include "core/job/pods/pod_json.h"

namespace muster {
namespace {

using Json = nlohmann::ordered_json;

// User id of muster's containers. No image's /etc/passwd has it, so it owns no files there.
constexpr int kOurUser = 65532;
constexpr int kWorldReadable = 0444;
// Toleration time: a pod on a node that is not ready or unreachable is replaced after it.
constexpr int kPatienceSeconds = 30;
// The minimum time that ranks get to end when a node is drained.
constexpr int64_t kDrainSeconds = 25;
// Added to the time that ranks get to end.
constexpr int64_t kAgentMarginSeconds = 10;
constexpr int64_t kCoordinatorMarginSeconds = 20;
constexpr int64_t kVerdictGraceSeconds = 5;
// Every failed readiness probe creates an event in the cluster, so the coordinator holds one probe until the job has failed.
constexpr int kReadyPeriodSeconds = 3;
constexpr int kReadyDelaySeconds = 3;
constexpr int kReadyPatienceSeconds = 86'400;
// A pod condition that is never set: the cluster never counts these pods as ready, although their containers are.
constexpr const char* kNeverSet = "muster.dev/replaced-at-once";
// The termination delay. Longer than a Job's delay before it handles changes of its pods (1 s).
constexpr const char* kTerminationDelay = "3s";
constexpr uint64_t kAgentBytes = 64ULL << 20;

constexpr const char* kMusterVolume = "muster";
constexpr const char* kSecretVolume = "muster-secret";

int64_t time_to_end(const JobSpec& spec) { return std::max(whole_seconds(spec.timeouts.stop), kDrainSeconds); }

// Escapes `$` in JSON, because Kubernetes expands `$(NAME)` and `$$` in variables.
std::string without_dollars(const std::string& json) {
  std::string plain;
  for (const char c : json) plain += c == '$' ? std::string("\\u0024") : std::string(1, c);
  return plain;
}

Json variable(const char* name, const std::string& value) { return {{"name", name}, {"value", value}}; }

Json variable_of_field(const char* name, const char* field) {
  return {{"name", name}, {"valueFrom", {{"fieldRef", {{"fieldPath", field}}}}}};
}

void add_identity(Json& variables) {
  variables.push_back(variable_of_field(pod::kNameVariable, "metadata.name"));
  variables.push_back(variable_of_field(pod::kUidVariable, "metadata.uid"));
  variables.push_back(variable_of_field(pod::kAddressVariable, "status.podIP"));
  variables.push_back(variable_of_field(pod::kNodeVariable, "spec.nodeName"));
}

std::string coordinator_host(const ClusterJob& job) { return job.name + "-" + pod::kCoordinatorJob + "-0-0"; }

std::string coordinator_address(const ClusterJob& job) { return coordinator_host(job) + "." + job.name; }

Json our_security() {
  return {{"runAsNonRoot", true},
          {"runAsUser", kOurUser},
          {"runAsGroup", kOurUser},
          {"allowPrivilegeEscalation", false},
          {"capabilities", {{"drop", Json::array({"ALL"})}}},
          {"seccompProfile", {{"type", "RuntimeDefault"}}}};
}

Json mount(const char* name, const char* path, bool read_only = false) {
  Json each = {{"name", name}, {"mountPath", path}};
  if (read_only) each["readOnly"] = true;
  return each;
}

Json secret_volume(const ClusterJob& job, bool whole) {
  Json items = Json::array({{{"key", pod::kTokenKey}, {"path", pod::kTokenKey}}});
  if (whole) items.push_back({{"key", pod::kSecretsKey}, {"path", pod::kSecretsKey}});
  return {{"name", kSecretVolume},
          {"secret", {{"secretName", secret_name(job)}, {"defaultMode", kWorldReadable}, {"items", items}}}};
}

Json muster_volume() { return {{"name", kMusterVolume}, {"emptyDir", Json::object()}}; }

Json with_image(Json container, const JobSpec& spec, const std::string& image) {
  container["image"] = image;
  if (spec.kubernetes.pull_policy != PullPolicy::usual)
    container["imagePullPolicy"] = to_string(spec.kubernetes.pull_policy);
  return container;
}

std::string our_image(const JobSpec& spec, const ClusterJob& job) {
  return spec.kubernetes.muster_image.empty() ? job.image : spec.kubernetes.muster_image;
}

Json our_container(const JobSpec& spec, const ClusterJob& job, const char* name,
                   const std::vector<std::string>& words) {
  Json container = with_image({{"name", name}}, spec, our_image(spec, job));
  container["command"] = words;
  container["securityContext"] = our_security();
  container["terminationMessagePolicy"] = "FallbackToLogsOnError";
  return container;
}

// `agent`: the resources of the pod's own container. The init container asks for the same: that costs nothing extra, keeps the pod in the
// class Guaranteed, and makes the copy fast.
Json installer(const JobSpec& spec, const ClusterJob& job, const Json& agent) {
  const std::string folder = std::string(pod::kFolder) + "/bin";
  Json container = our_container(spec, job, "muster", {pod::kImageProgram, "pod", "install", folder});
  for (const char* kind : {"requests", "limits"}) {
    for (const char* name : {"cpu", "memory"})
      if (agent.contains(kind) && agent[kind].contains(name)) container["resources"][kind][name] = agent[kind][name];
  }
  container["volumeMounts"] = Json::array({mount(kMusterVolume, pod::kFolder)});
  return container;
}

// Most of it is for the links of agents: each takes about 100 KiB, and the request has twice that.
Json coordinator_resources(const JobSpec& spec) {
  constexpr uint64_t kLeast = 64;  // MiB
  constexpr uint64_t kAlone = 24;
  constexpr uint64_t kPodsOfMiB = 5;
  constexpr uint64_t kRoom = 4;
  const uint64_t mib = std::max(kLeast, kAlone + pods_of_gang(spec) / kPodsOfMiB);
  const auto text = [](uint64_t number) { return std::to_string(number) + "Mi"; };
  return {{"requests", {{"cpu", "50m"}, {"memory", text(mib)}}}, {"limits", {{"memory", text(mib * kRoom)}}}};
}

Json tolerations(const std::string& of_user) {
  Json list = of_user.empty() ? Json::array() : Json::parse(of_user);
  for (const char* taint : {"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"}) {
    list.push_back(
        {{"key", taint}, {"operator", "Exists"}, {"effect", "NoExecute"}, {"tolerationSeconds", kPatienceSeconds}});
  }
  return list;
}

// The scheduler of the pods that must start together; empty: the default.
std::string gang_scheduler(const KubernetesSpec& spec) {
  if (!spec.scheduler.empty()) return spec.scheduler;
  if (spec.gang == PodGang::volcano) return "volcano";
  return spec.gang == PodGang::kai ? "kai-scheduler" : "";
}

Json metadata(const JobSpec& spec, const ClusterJob& job, const std::string& role, bool in_gang) {
  Json labels = labels_of(spec, job, role);
  Json annotations = spec.kubernetes.annotations;
  if (in_gang && spec.kubernetes.gang == PodGang::coscheduling) labels["scheduling.x-k8s.io/pod-group"] = job.name;
  if (in_gang && spec.kubernetes.gang == PodGang::volcano) annotations["scheduling.k8s.io/group-name"] = job.name;
  if (spec.kubernetes.gang == PodGang::kai && !spec.kubernetes.queue.empty())
    labels["kai.scheduler/queue"] = spec.kubernetes.queue;
  Json all = {{"labels", labels}};
  if (!annotations.empty()) all["annotations"] = annotations;
  return all;
}

// The fields that all pods have.
Json base_spec(const JobSpec& spec, const std::string& restart_policy, int64_t grace) {
  const KubernetesSpec& wanted = spec.kubernetes;
  Json pod = {{"restartPolicy", restart_policy},
              {"terminationGracePeriodSeconds", grace},
              {"automountServiceAccountToken", false},
              {"enableServiceLinks", false}};
  if (!wanted.service_account.empty()) pod["serviceAccountName"] = wanted.service_account;
  if (!wanted.priority_class.empty()) pod["priorityClassName"] = wanted.priority_class;
  for (const std::string& name : wanted.pull_secrets) pod["imagePullSecrets"].push_back({{"name", name}});
  if (!wanted.node_selector.empty()) pod["nodeSelector"] = wanted.node_selector;
  pod["tolerations"] = tolerations(wanted.tolerations);
  return pod;
}

// With exclusive topology, a domain is reserved for one Job. The coordinator and the verdict pod belong to other Jobs, so they prefer nodes
// outside of these domains.
void leave_domains_free(Json& pod, const KubernetesSpec& wanted) {
  if (wanted.exclusive_topology.empty()) return;
  constexpr int kMostWeight = 100;
  const Json outside = {{"key", wanted.exclusive_topology}, {"operator", "DoesNotExist"}};
  pod.erase("nodeSelector");
  pod["affinity"]["nodeAffinity"]["preferredDuringSchedulingIgnoredDuringExecution"] =
      Json::array({{{"weight", kMostWeight}, {"preference", {{"matchExpressions", Json::array({outside})}}}}});
}

Json term(const JobSpec&, const ClusterJob& job, const std::string& topology) {
  const Json labels = {{pod::kJobLabel, job.name}, {kRoleLabel, kAgentRole}};
  return Json::array({{{"labelSelector", {{"matchLabels", labels}}}, {"topologyKey", topology}}});
}

void add_affinity(Json& pod, const JobSpec& spec, const ClusterJob& job) {
  constexpr const char* kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
  const KubernetesSpec& wanted = spec.kubernetes;
  if (!wanted.pack.empty()) pod["affinity"]["podAffinity"][kRequired] = term(spec, job, wanted.pack);
  if (!wanted.spread.empty()) pod["affinity"]["podAntiAffinity"][kRequired] = term(spec, job, wanted.spread);
}

std::string files_name(const ClusterJob& job, const VolumeSpec& volume) { return job.name + "-" + volume.name; }

void add_volumes(Json& pod, Json& container, const JobSpec& spec, const ClusterJob& job) {
  pod["volumes"] = Json::array({muster_volume(), secret_volume(job, false)});
  container["volumeMounts"] =
      Json::array({mount(kMusterVolume, pod::kFolder), mount(kSecretVolume, pod::kSecretFolder, true)});
  for (const VolumeSpec& volume : volumes_of(spec.kubernetes)) {
    pod["volumes"].push_back(Json::parse(volume_json(volume, files_name(job, volume))));
    container["volumeMounts"].push_back(Json::parse(mount_json(volume)));
  }
}

// The needs of a rank times the number of ranks, overridden by `resources`.
Json agent_resources(const JobSpec& spec, const GroupSpec& group) {
  const PodCounts counts = pod_counts(spec, group);
  Json wanted = Json::object();
  if (group.worker.cpus != 0) wanted["cpu"] = std::to_string(uint64_t{group.worker.cpus} * counts.workers);
  if (group.worker.memory_bytes != 0)
    wanted["memory"] = quantity(group.worker.memory_bytes * counts.workers + kAgentBytes);
  for (const auto& [name, value] : resources_of(spec, group)) wanted[name] = value;
  if (counts.gpus != 0) wanted[spec.kubernetes.gpu_resource] = std::to_string(counts.gpus);
  if (wanted.empty()) return wanted;
  return {{"requests", wanted}, {"limits", wanted}};
}

Json agent_container(const JobSpec& spec, const ClusterJob& job, size_t index) {
  const GroupSpec& group = spec.groups[index];
  Json container = with_image({{"name", pod::kAgentContainer}}, spec, pod_image_of(spec, group));
  container["command"] = {pod::kProgram, "pod", "agent"};
  container["env"] = Json::array({variable(pod::kCoordinatorVariable, coordinator_address(job)),
                                  variable(pod::kGroupVariable, std::to_string(index))});
  add_identity(container["env"]);
  if (Json resources = agent_resources(spec, group); !resources.empty()) container["resources"] = resources;
  if (Json security = Json::parse(security_json(spec.kubernetes.security)); !security.empty())
    container["securityContext"] = security;
  container["terminationMessagePolicy"] = "FallbackToLogsOnError";
  return container;
}

void add_node_words(Json& pod, const JobSpec& spec, const GroupSpec& group) {
  const KubernetesSpec& wanted = spec.kubernetes;
  if (const auto selector = node_selector_of(spec, group); !selector.empty()) pod["nodeSelector"] = selector;
  if (!group.kubernetes.tolerations.empty()) pod["tolerations"] = tolerations(group.kubernetes.tolerations);
  if (!wanted.runtime_class.empty()) pod["runtimeClassName"] = wanted.runtime_class;
  if (wanted.host_network) {
    pod["hostNetwork"] = true;
    pod["dnsPolicy"] = "ClusterFirstWithHostNet";  // otherwise the coordinator's name cannot be resolved there
  }
  if (wanted.host_ipc) pod["hostIPC"] = true;
  if (wanted.security.fs_group) pod["securityContext"] = {{"fsGroup", *wanted.security.fs_group}};
}

}  // namespace

bool replaces_at_once(const KubernetesSpec& spec) {
  return spec.queue.empty() || spec.gang == PodGang::volcano ||
         spec.gang == PodGang::kai;  // `queue` is not Kueue's then
}

std::string agent_template(const JobSpec& spec, const ClusterJob& job, size_t group) {
  Json pod = base_spec(spec, "OnFailure", time_to_end(spec) + kAgentMarginSeconds);
  if (const std::string scheduler = gang_scheduler(spec.kubernetes); !scheduler.empty())
    pod["schedulerName"] = scheduler;
  add_node_words(pod, spec, spec.groups[group]);
  add_affinity(pod, spec, job);
  Json container = agent_container(spec, job, group);
  if (replaces_at_once(spec.kubernetes)) {
    pod["readinessGates"] = Json::array({{{"conditionType", kNeverSet}}});
    container["env"].push_back(variable(pod::kStayVariable, kTerminationDelay));
  }
  add_volumes(pod, container, spec, job);
  pod["initContainers"] = Json::array({installer(spec, job, container.value("resources", Json::object()))});
  pod["containers"] = Json::array({container});
  return Json{{"metadata", metadata(spec, job, kAgentRole, true)}, {"spec", pod}}.dump();
}

std::string coordinator_template(const JobSpec& spec, const ClusterJob& job) {
  Json pod = base_spec(spec, "OnFailure", time_to_end(spec) + kCoordinatorMarginSeconds);
  if (const std::string scheduler = gang_scheduler(spec.kubernetes); !scheduler.empty())
    pod["schedulerName"] = scheduler;
  leave_domains_free(pod, spec.kubernetes);
  pod["hostname"] = coordinator_host(job);  // pods of Jobs without indices get none
  Json container = our_container(spec, job, pod::kCoordinatorJob, {pod::kImageProgram, "pod", "coordinate"});
  container["env"] =
      Json::array({variable(pod::kJobVariable, without_dollars(spec_to_json(settled_for_cluster(spec))))});
  add_identity(container["env"]);
  container["env"].push_back(
      variable(pod::kStayVariable, kTerminationDelay));  // the pod is unready until the job has failed
  container["ports"] = Json::array({{{"name", "agents"}, {"containerPort", pod::kAgentPort}}});
  container["readinessProbe"] = {{"httpGet", {{"path", "/failed"}, {"port", pod::kFailedPort}}},
                                 {"initialDelaySeconds", kReadyDelaySeconds},
                                 {"periodSeconds", kReadyPeriodSeconds},
                                 {"timeoutSeconds", kReadyPatienceSeconds}};
  container["resources"] = coordinator_resources(spec);
  container["volumeMounts"] =
      Json::array({mount(kMusterVolume, pod::kFolder), mount(kSecretVolume, pod::kSecretFolder, true)});
  pod["volumes"] = Json::array({muster_volume(), secret_volume(job, true)});
  pod["containers"] = Json::array({container});
  return Json{{"metadata", metadata(spec, job, pod::kCoordinatorJob, true)}, {"spec", pod}}.dump();
}

std::string verdict_template(const JobSpec& spec, const ClusterJob& job) {
  Json pod = base_spec(spec, "Never", kVerdictGraceSeconds);
  if (!spec.kubernetes.scheduler.empty()) pod["schedulerName"] = spec.kubernetes.scheduler;
  leave_domains_free(pod, spec.kubernetes);
  Json container = our_container(spec, job, pod::kVerdictJob, {pod::kImageProgram, "pod", "verdict"});
  container["env"] = Json::array({variable(pod::kCoordinatorVariable, coordinator_address(job))});
  add_identity(container["env"]);
  container["resources"] = {{"requests", {{"cpu", "10m"}, {"memory", "32Mi"}}}, {"limits", {{"memory", "64Mi"}}}};
  container["volumeMounts"] = Json::array({mount(kSecretVolume, pod::kSecretFolder, true)});
  pod["volumes"] = Json::array({secret_volume(job, false)});
  pod["containers"] = Json::array({container});
  return Json{{"metadata", metadata(spec, job, pod::kVerdictJob, false)}, {"spec", pod}}.dump();
}

}  // namespace muster
