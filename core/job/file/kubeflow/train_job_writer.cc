// SPDX-License-Identifier: Apache-2.0
#include "core/job/file/kubeflow/train_job_writer.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/job/file/kubeflow/manifest.h"
#include "core/job/file/kubeflow/trainer/runtime_template.h"
#include "core/job/file/kubeflow/trainer/torch_policy.h"
#include "core/job/file/kubeflow/trainer/trainer_variables.h"
#include "core/job/mpirun/launcher_variables.h"
#include "core/job/python_command.h"

namespace muster {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kVersion = "trainer.kubeflow.org/v1alpha1";

// The job, and what its variables need.
struct WrittenSpec {
  const JobSpec& spec;
  const GroupSpec& group;
  TrainerVariables variables;

  // A script that starts torchrun needs the policy too.
  bool has_torch_policy() const { return is_torch(spec.framework) || variables.processes.has_value(); }
  bool has_processes() const {
    return has_torch_policy() || spec.framework == Framework::mpi || spec.framework == Framework::xgboost;
  }
};

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

// The names of variables of the container: those of the TrainJob, and those of its runtime.
std::vector<std::string> names_of(const Json& env, const std::vector<std::string>& of_runtime) {
  std::vector<std::string> names = of_runtime;
  for (const Json& each : env) {
    auto name = each["name"].get<std::string>();
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
  }
  return names;
}

// Torch's ranks are started by torchrun, which muster replaces; MPI's by mpirun, which gives `variables` to ranks on other
// nodes only if it is told to.
Json command_of(const JobSpec& spec, const GroupSpec& group, const std::vector<std::string>& variables) {
  std::vector<std::string> words = group.command;
  if (is_torch(spec.framework)) words = torchrun_words(words);
  if (spec.framework == Framework::mpi) {
    std::vector<std::string> mpirun{"mpirun"};
    for (const std::string& name : variables) mpirun.insert(mpirun.end(), {"-x", name});
    words.insert(words.begin(), mpirun.begin(), mpirun.end());
  }
  Json command = Json::array();
  for (const std::string& word : words) command.push_back(kubernetes_text(word));
  return command;
}

bool is_absolute(const std::string& path) { return path.starts_with('/'); }

Json metadata_of(const JobSpec& spec) {
  Json metadata = {{"name", spec.name}};
  if (!spec.kubernetes.cluster_namespace.empty()) metadata["namespace"] = spec.kubernetes.cluster_namespace;
  return metadata;
}

Json env_of(const WrittenSpec& job, std::vector<std::string>& notes) {
  std::map<std::string, EnvValue> all = job.spec.env;
  for (const auto& [name, value] : job.group.env) all[name] = value;
  for (const auto& [name, text] : job.variables.values) all.emplace(name, EnvValue{text, std::nullopt});
  Json env = Json::array();
  for (const auto& [name, value] : all) {
    if (job.has_torch_policy() && is_set_by_torch_policy(name))
      notes.push_back("env." + name + ": Trainer's torch policy sets this variable itself");
    else if (value.secret)
      notes.push_back("env." + name + ": its value is a secret; add a valueFrom.secretKeyRef to the TrainJob");
    else
      env.push_back({{"name", name}, {"value", kubernetes_text(value.literal)}});
  }
  for (const auto& [name, path] : job.variables.fields)
    env.push_back({{"name", name}, {"valueFrom", {{"fieldRef", {{"fieldPath", path}}}}}});
  return env;
}

// nullopt: Trainer has no number for this job.
std::optional<Json> processes_of(const WrittenSpec& job) {
  if (!job.has_processes()) return std::nullopt;
  if (const auto& text = job.variables.processes) {
    const bool digits =
        !text->empty() && text->size() < 10 && text->find_first_not_of("0123456789") == std::string::npos;
    return digits ? Json(std::stoul(*text)) : Json(*text);
  }
  if (job.group.workers.automatic) return std::nullopt;
  return Json(job.group.workers.count);
}

// With `numProcPerNode: 1`, Trainer starts one process per GPU, unless the TrainJob has a number.
Json mpi_policy(const GroupSpec& group) {
  return {{"numProcPerNode", group.workers.automatic ? 1 : group.workers.count},
          {"mpiImplementation", "OpenMPI"},
          {"sshAuthMountPath", "/home/mpiuser/.ssh"},
          {"runLauncherAsNode", true}};
}

Json policy_of(const WrittenSpec& job) {
  const Framework framework = job.spec.framework;
  if (job.has_torch_policy()) return {{"torch", Json::object()}};
  if (framework == Framework::mpi) return {{"mpi", mpi_policy(job.group)}};
  if (framework == Framework::jax || framework == Framework::xgboost)
    return {{std::string(to_string(framework)), Json::object()}};
  return Json::object();
}

Json runtime_of(const WrittenSpec& job, const RuntimeTemplate& written) {
  Json policy = policy_of(job);
  policy["numNodes"] = job.group.max_nodes;
  return {{"apiVersion", kVersion},
          {"kind", kNamespacedRuntime},
          {"metadata", metadata_of(job.spec)},
          {"spec", {{"mlPolicy", policy}, {"template", Json::parse(written.jobset)}}}};
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

// Settings that differ from the usual ones.
struct Setting {
  bool differs;
  const char* name;
};
void note_settings(std::initializer_list<Setting> settings, const char* why, std::vector<std::string>& notes) {
  std::vector<std::string> names;
  for (const Setting& each : settings) {
    if (each.differs) names.emplace_back(each.name);
  }
  if (!names.empty()) notes.push_back(join(names, ", ") + ": " + why);
}

void note_pods(const JobSpec& spec, std::vector<std::string>& notes) {
  const KubernetesSpec& pods = spec.kubernetes;
  note_settings({{!pods.exclusive_topology.empty(), "kubernetes.exclusive_topology"},
                 {!pods.pack.empty(), "kubernetes.pack"},
                 {!pods.spread.empty(), "kubernetes.spread"}},
                "add an affinity to the TrainingRuntime", notes);
  note_settings({{pods.gang != PodGang::none, "kubernetes.gang"}},
                "add podGroupPolicy and the queue to the TrainingRuntime", notes);
  note_settings({{pods.deadline.count() > 0, "kubernetes.deadline"}}, "use timeouts.run", notes);
}

void note_limits(const JobSpec& spec, std::vector<std::string>& notes) {
  const JobSpec usual;
  RestartSpec restarts = spec.restarts;
  restarts.limit = usual.restarts.limit;
  restarts.never_on.clear();
  restarts.always_on.clear();
  note_settings({{spec.timeouts.queue != usual.timeouts.queue, "timeouts.queue"},
                 {spec.timeouts.start != usual.timeouts.start && spec.timeouts.start > Duration(0), "timeouts.start"},
                 {spec.timeouts.setup != usual.timeouts.setup, "timeouts.setup"},
                 {spec.timeouts.leftovers != usual.timeouts.leftovers, "timeouts.leftovers"}},
                "a TrainJob has no such limit", notes);
  note_settings({{restarts != usual.restarts, "restarts"}},
                "Trainer restarts all pods at once, and has only restarts.limit", notes);
  note_settings({{!spec.restarts.never_on.empty(), "restarts.never_on"},
                 {!spec.restarts.always_on.empty(), "restarts.always_on"}},
                "rules for single failures are rules of the JobSet's failurePolicy", notes);
  note_settings({{spec.hangs != usual.hangs, "hangs"}}, "left out, because Trainer does not watch for hangs", notes);
}

void note_the_rest(const WrittenSpec& job, std::vector<std::string>& notes) {
  const JobSpec& spec = job.spec;
  const Framework framework = spec.framework;
  const bool has_policy = !policy_of(job).empty();
  const auto note = [&](bool differs, const char* sentence) {
    if (differs) notes.emplace_back(sentence);
  };
  note(!has_policy && framework != Framework::plain && framework != Framework::custom,
       "framework: Trainer does not know it, so ranks get only the variables of the TrainJob");
  note(framework == Framework::mpi,
       "mlPolicy.mpi.mpiImplementation: a job does not name its MPI library, so OpenMPI is written; the image needs "
       "sshd "
       "and the user mpiuser, as the images of Trainer have them");
  note((!job.has_processes() || job.variables.processes) && job.group.workers.count > 1,
       "workers: Trainer starts the command once in each pod, and the program has to start the others");
  note(job.group.min_nodes != job.group.max_nodes,
       "nodes: a TrainJob has a fixed number of nodes; the largest one is written");
  note(spec.kubernetes.image.empty() && job.group.kubernetes.image.empty(),
       "kubernetes.image: the job has none, so pods could not start; write it into the runtime, or set it and convert "
       "again");
  note(spec.workdir != JobSpec().workdir && !is_absolute(spec.workdir),
       "workdir: a folder of an image needs an absolute path");
  note(!spec.setup.empty(), "setup: a TrainJob runs no commands before the training; put them into the image");
  note(!spec.python.venv.empty(), "python.venv: put the environment into the image");
  note(!spec.service.empty(), "service: Trainer starts no program beside the ranks");
  for (const std::string& name : job.variables.lost)
    notes.push_back("custom." + name + ": Trainer cannot set this variable; compute its value in the program");
  note_limits(spec, notes);
  note_pods(spec, notes);
}

}  // namespace

Result<TrainJobObjects> train_job_objects(const JobSpec& spec) {
  if (spec.groups.size() != 1)
    return Status(Code::failed_precondition, "a TrainJob has one kind of ranks, and this job has " +
                                                 std::to_string(spec.groups.size()) +
                                                 " groups; write a JobSet: --to jobset");
  const GroupSpec& group = spec.groups.front();
  if (group.env.contains(kMpirunGroups) || spec.env.contains(kMpirunGroups))
    return Status(Code::failed_precondition,
                  "the command calls mpirun of muster, which the pods of a TrainJob do not have; write a JobSet: --to "
                  "jobset");
  const WrittenSpec written{spec, group, trainer_variables(spec, group)};
  RuntimeTemplate runtime = runtime_template(spec, group);
  TrainJobObjects result;
  const Json env = env_of(written, result.notes);
  Json trainer = {{"command", command_of(spec, group, names_of(env, runtime.variables))},
                  {"numNodes", group.max_nodes}};
  if (const auto processes = processes_of(written)) trainer["numProcPerNode"] = *processes;
  if (!env.empty()) trainer["env"] = env;
  if (Json resources = Json::parse(runtime.resources); !resources.empty()) trainer["resourcesPerNode"] = resources;
  Json job = {{"runtimeRef", {{"name", spec.name}, {"kind", kNamespacedRuntime}}}, {"trainer", trainer}};
  if (spec.timeouts.run.count() > 0) job["activeDeadlineSeconds"] = whole_seconds(spec.timeouts.run);
  if (spec.hold || spec.kubernetes.suspend) job["suspend"] = true;
  result.notes.insert(result.notes.end(), runtime.notes.begin(), runtime.notes.end());
  note_the_rest(written, result.notes);
  result.objects = {
      runtime_of(written, runtime).dump(),
      Json{{"apiVersion", kVersion}, {"kind", "TrainJob"}, {"metadata", labelled_metadata(spec)}, {"spec", job}}
          .dump()};
  return result;
}

}  // namespace muster
