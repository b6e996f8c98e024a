// SPDX-License-Identifier: Apache-2.0
#include "core/job/file/kubeflow/train_job_writer.h"

#include <nlohmann/json.hpp>

#include "core/job/file/kubeflow/manifest.h"
#include "core/job/python_command.h"

namespace muster {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kVersion = "trainer.kubeflow.org/v1alpha1";
constexpr uint64_t kMi = 1 << 20;

bool is_torch(Framework framework) {
  return framework == Framework::torch || framework == Framework::lightning || framework == Framework::accelerate ||
         framework == Framework::deepspeed || framework == Framework::any;
}

// torchrun of the same Python. It starts scripts and modules itself, without flags of Python.
std::vector<std::string> torchrun_words(const std::vector<std::string>& program) {
  const auto python = python_command(program);
  std::vector<std::string> words{"torchrun"};
  if (python && program.front().find('/') != std::string::npos)
    words = {program.front(), "-m", "torch.distributed.run"};
  const bool plain = python && python->kind != PythonCommand::Kind::code && python->interpreter.size() == 1;
  if (!plain) words.emplace_back("--no-python");
  words.insert(words.end(), program.begin() + (plain ? 1 : 0), program.end());
  return words;
}

// Torch's ranks are started by torchrun, which muster replaces; MPI's by mpirun.
Json command_of(const JobSpec& spec, const GroupSpec& group) {
  if (is_torch(spec.framework)) return torchrun_words(group.command);
  Json words = Json::array();
  if (spec.framework == Framework::mpi) words.push_back("mpirun");
  for (const std::string& word : group.command) words.push_back(word);
  return words;
}

bool is_absolute(const std::string& path) { return path.starts_with('/'); }

Json metadata_of(const JobSpec& spec) {
  Json metadata = {{"name", spec.name}};
  if (!spec.kubernetes.cluster_namespace.empty()) metadata["namespace"] = spec.kubernetes.cluster_namespace;
  return metadata;
}

Json resources_of(const JobSpec& spec, const GroupSpec& group) {
  Json limits = Json::object();
  const uint64_t workers = group.workers.automatic ? 1 : group.workers.count;
  if (const uint64_t gpus = group.worker.gpus.automatic ? 0 : group.worker.gpus.count * workers; gpus > 0)
    limits[spec.kubernetes.gpu_resource] = gpus;
  if (group.worker.cpus > 0) limits["cpu"] = group.worker.cpus * workers;
  if (group.worker.memory_bytes > 0)
    limits["memory"] = std::to_string(group.worker.memory_bytes * workers / kMi) + "Mi";
  for (const auto& [name, value] : spec.kubernetes.resources) limits[name] = value;
  for (const auto& [name, value] : group.kubernetes.resources) limits[name] = value;
  return limits.empty() ? limits : Json{{"requests", limits}, {"limits", limits}};
}

Json env_of(const JobSpec& spec, const GroupSpec& group, std::vector<std::string>& notes) {
  std::map<std::string, EnvValue> all = spec.env;
  for (const auto& [name, value] : group.env) all[name] = value;
  Json env = Json::array();
  for (const auto& [name, value] : all) {
    if (value.secret)
      notes.push_back("env." + name + ": its value is a secret; add a valueFrom.secretKeyRef to the TrainJob");
    else
      env.push_back({{"name", name}, {"value", value.literal}});
  }
  return env;
}

Json policy_of(Framework framework) {
  if (is_torch(framework)) return {{"torch", Json::object()}};
  if (framework == Framework::mpi) return {{"mpi", {{"runLauncherAsNode", true}}}};
  if (framework == Framework::jax || framework == Framework::xgboost)
    return {{std::string(to_string(framework)), Json::object()}};
  return Json::object();
}

Json container_of(const JobSpec& spec, const GroupSpec& group) {
  Json container = {{"name", "node"}};
  const std::string& image = group.kubernetes.image.empty() ? spec.kubernetes.image : group.kubernetes.image;
  if (!image.empty()) container["image"] = image;
  if (spec.kubernetes.pull_policy != PullPolicy::usual)
    container["imagePullPolicy"] = to_string(spec.kubernetes.pull_policy);
  if (is_absolute(spec.workdir)) container["workingDir"] = spec.workdir;
  return container;
}

Json pod_of(const JobSpec& spec, const GroupSpec& group) {
  const KubernetesSpec& wanted = spec.kubernetes;
  Json pod = {{"containers", Json::array({container_of(spec, group)})}};
  for (const auto& [key, value] :
       {std::pair("serviceAccountName", wanted.service_account), std::pair("priorityClassName", wanted.priority_class),
        std::pair("runtimeClassName", wanted.runtime_class), std::pair("schedulerName", wanted.scheduler)}) {
    if (!value.empty()) pod[key] = value;
  }
  if (wanted.host_network) pod["hostNetwork"] = true;
  if (wanted.host_ipc) pod["hostIPC"] = true;
  for (const std::string& name : wanted.pull_secrets) pod["imagePullSecrets"].push_back({{"name", name}});
  std::map<std::string, std::string> selector = wanted.node_selector;
  for (const auto& [label, value] : group.kubernetes.node_selector) selector[label] = value;
  if (!selector.empty()) pod["nodeSelector"] = selector;
  const std::string& tolerations =
      group.kubernetes.tolerations.empty() ? wanted.tolerations : group.kubernetes.tolerations;
  if (!tolerations.empty()) pod["tolerations"] = Json::parse(tolerations, nullptr, false);
  return pod;
}

Json replicated_job(const JobSpec& spec, const GroupSpec& group, const char* name, bool trains) {
  Json job = {{"spec", {{"template", {{"spec", pod_of(spec, group)}}}}}};
  if (trains) job["metadata"]["labels"]["trainer.kubeflow.org/trainjob-ancestor-step"] = "trainer";
  return {{"name", name}, {"template", job}};
}

Json runtime_of(const JobSpec& spec, const GroupSpec& group) {
  Json policy = policy_of(spec.framework);
  policy["numNodes"] = group.max_nodes;
  Json jobs = Json::array();
  const bool mpi = spec.framework == Framework::mpi;
  if (mpi) jobs.push_back(replicated_job(spec, group, "launcher", true));
  jobs.push_back(replicated_job(spec, group, "node", !mpi));
  Json set = {{"replicatedJobs", jobs}};
  if (spec.restarts.limit > 0) set["failurePolicy"]["maxRestarts"] = spec.restarts.limit;
  if (spec.kubernetes.ttl)
    set["ttlSecondsAfterFinished"] = std::chrono::ceil<std::chrono::seconds>(*spec.kubernetes.ttl).count();
  return {{"apiVersion", kVersion},
          {"kind", kNamespacedRuntime},
          {"metadata", metadata_of(spec)},
          {"spec", {{"mlPolicy", policy}, {"template", {{"spec", set}}}}}};
}

// Those of the TrainJob. Kueue finds the queue by a label.
Json labelled_metadata(const JobSpec& spec) {
  Json metadata = metadata_of(spec);
  std::map<std::string, std::string> labels = spec.labels;
  for (const auto& [name, value] : spec.kubernetes.labels) labels[name] = value;
  if (!spec.kubernetes.queue.empty() && spec.kubernetes.gang == PodGang::none)
    labels["kueue.x-k8s.io/queue-name"] = spec.kubernetes.queue;
  if (!labels.empty()) metadata["labels"] = labels;
  if (!spec.kubernetes.annotations.empty()) metadata["annotations"] = spec.kubernetes.annotations;
  return metadata;
}

void note_the_rest(const JobSpec& spec, std::vector<std::string>& notes) {
  const auto note = [&](bool differs, const char* sentence) {
    if (differs) notes.emplace_back(sentence);
  };
  const JobSpec usual;
  const KubernetesSpec& pods = spec.kubernetes;
  const Framework framework = spec.framework;
  const bool has_policy = !policy_of(framework).empty();
  const bool counts_ranks = is_torch(framework) || framework == Framework::mpi || framework == Framework::xgboost;
  note(!has_policy && framework != Framework::plain && framework != Framework::custom,
       "framework: Trainer does not know it, so ranks get only the variables of the TrainJob");
  note(!counts_ranks && spec.groups.front().workers.count > 1,
       "workers: Trainer starts the command once in each pod, and the program has to start the others");
  note(spec.workdir != usual.workdir && !is_absolute(spec.workdir),
       "workdir: a folder of an image needs an absolute path");
  note(!spec.setup.empty(), "setup: a TrainJob runs no commands before the training; put them into the image");
  note(!spec.python.venv.empty(), "python.venv: put the environment into the image");
  note(!spec.custom.empty(), "custom: Trainer sets only the variables of its own frameworks");
  note(!spec.restarts.never_on.empty() || !spec.restarts.always_on.empty(),
       "restarts: rules for single failures are rules of the JobSet's failurePolicy");
  note(spec.hangs != usual.hangs, "hangs: Trainer does not watch for hangs");
  note(!pods.volumes.empty() || !pods.patch.empty() || pods.shm_bytes != 0,
       "kubernetes.volumes, kubernetes.shm and kubernetes.patch, which has volumes and variables from Secrets of a "
       "manifest: add them to the TrainingRuntime");
  note(pods.security != PodSecurity(), "kubernetes.security: add a securityContext to the TrainingRuntime");
  note(!pods.exclusive_topology.empty() || !pods.pack.empty() || !pods.spread.empty(),
       "kubernetes.exclusive_topology, pack and spread: add an affinity to the TrainingRuntime");
  note(pods.gang != PodGang::none, "kubernetes.gang: add podGroupPolicy and the queue to the TrainingRuntime");
  note(pods.deadline.count() > 0, "kubernetes.deadline: use timeouts.run");
}

}  // namespace

Result<TrainJobObjects> train_job_objects(const JobSpec& spec) {
  if (spec.groups.size() != 1)
    return Status(Code::failed_precondition, "a TrainJob has one kind of ranks, and this job has " +
                                                 std::to_string(spec.groups.size()) +
                                                 " groups; write a JobSet: --to jobset");
  const GroupSpec& group = spec.groups.front();
  TrainJobObjects result;
  Json trainer = {{"command", command_of(spec, group)}, {"numNodes", group.max_nodes}};
  if (!group.workers.automatic) trainer["numProcPerNode"] = group.workers.count;
  if (Json env = env_of(spec, group, result.notes); !env.empty()) trainer["env"] = env;
  if (Json resources = resources_of(spec, group); !resources.empty()) trainer["resourcesPerNode"] = resources;
  Json job = {{"runtimeRef", {{"name", spec.name}, {"kind", kNamespacedRuntime}}}, {"trainer", trainer}};
  if (spec.timeouts.run.count() > 0)
    job["activeDeadlineSeconds"] = std::chrono::ceil<std::chrono::seconds>(spec.timeouts.run).count();
  if (spec.hold || spec.kubernetes.suspend) job["suspend"] = true;
  note_the_rest(spec, result.notes);
  result.objects = {
      runtime_of(spec, group).dump(),
      Json{{"apiVersion", kVersion}, {"kind", "TrainJob"}, {"metadata", labelled_metadata(spec)}, {"spec", job}}
          .dump()};
  return result;
}

}  // namespace muster
