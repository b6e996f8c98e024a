// SPDX-License-Identifier: Apache-2.0
#include "core/job/file/kubeflow/train_job_writer.h"

#include <nlohmann/json.hpp>

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

// Torch's ranks are started by torchrun, which muster replaces; MPI's by mpirun.
Json command_of(const JobSpec& spec, const GroupSpec& group) {
  Json words = Json::array();
  std::vector<std::string> program = group.command;
  if (is_torch(spec.framework)) {
    words.push_back("torchrun");
    if (!python_command(program)) {
      words.push_back("--no-python");
    } else {
      program.erase(program.begin());
    }
  } else if (spec.framework == Framework::mpi) {
    words.push_back("mpirun");
  }
  for (const std::string& word : program) words.push_back(word);
  return words;
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
  return Json::object();
}

Json replicated_job(const JobSpec& spec, const GroupSpec& group, const char* name, bool trains) {
  Json pod = {{"containers", Json::array({{{"name", "node"}}})}};
  const std::string& image = group.kubernetes.image.empty() ? spec.kubernetes.image : group.kubernetes.image;
  if (!image.empty()) pod["containers"][0]["image"] = image;
  if (!spec.kubernetes.service_account.empty()) pod["serviceAccountName"] = spec.kubernetes.service_account;
  std::map<std::string, std::string> selector = spec.kubernetes.node_selector;
  for (const auto& [label, value] : group.kubernetes.node_selector) selector[label] = value;
  if (!selector.empty()) pod["nodeSelector"] = selector;
  Json job = {{"spec", {{"template", {{"spec", pod}}}}}};
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
  return {{"apiVersion", kVersion},
          {"kind", "TrainingRuntime"},
          {"metadata", {{"name", spec.name}}},
          {"spec", {{"mlPolicy", policy}, {"template", {{"spec", set}}}}}};
}

void note_the_rest(const JobSpec& spec, std::vector<std::string>& notes) {
  const auto note = [&](bool differs, const char* sentence) {
    if (differs) notes.emplace_back(sentence);
  };
  const JobSpec usual;
  note(!spec.setup.empty(), "setup: a TrainJob runs no commands before the training; put them into the image");
  note(!spec.python.venv.empty(), "python.venv: put the environment into the image");
  note(!spec.custom.empty(), "custom: Trainer sets only the variables of its own frameworks");
  note(!spec.outputs.empty(), "outputs: write results to a volume");
  note(!spec.restarts.never_on.empty() || !spec.restarts.always_on.empty(),
       "restarts: rules for single failures are rules of the JobSet's failurePolicy");
  note(!spec.hosts.empty(), "hosts: the cluster chooses the nodes");
  note(spec.hangs != usual.hangs, "hangs: Trainer does not watch for hangs");
  note(spec.groups.front().min_nodes != spec.groups.front().max_nodes, "nodes: a TrainJob has a fixed number of nodes");
  note(!spec.kubernetes.volumes.empty() || !spec.kubernetes.patch.empty(),
       "kubernetes.volumes and kubernetes.patch: add them to the TrainingRuntime");
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
  Json job = {{"runtimeRef", {{"name", spec.name}, {"kind", "TrainingRuntime"}}}, {"trainer", trainer}};
  if (spec.timeouts.run.count() > 0)
    job["activeDeadlineSeconds"] = std::chrono::ceil<std::chrono::seconds>(spec.timeouts.run).count();
  if (spec.hold || spec.kubernetes.suspend) job["suspend"] = true;
  if (!spec.labels.empty()) job["labels"] = spec.labels;
  note_the_rest(spec, result.notes);
  result.objects = {
      runtime_of(spec, group).dump(),
      Json{{"apiVersion", kVersion}, {"kind", "TrainJob"}, {"metadata", {{"name", spec.name}}}, {"spec", job}}.dump()};
  return result;
}

}  // namespace muster
