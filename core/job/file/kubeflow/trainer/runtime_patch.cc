// SPDX-License-Identifier: Apache-2.0
#include "core/job/file/kubeflow/trainer/runtime_patch.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/job/file/kubeflow/trainer/trainer_variables.h"
#include "core/job/pod_words.h"

namespace muster {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kInstaller = "muster";  // the init container of muster

std::string name_of(const Json& item) {
  return item.is_object() && item.contains("name") && item["name"].is_string() ? item["name"].get<std::string>() : "";
}

// The list at this path of a replicated job; null: there is none.
Json* list_in(Json& job, const char* path) {
  const Json::json_pointer pointer(path);
  if (!job.contains(pointer) || !job[pointer].is_array()) return nullptr;
  return &job[pointer];
}

class PatchReader {
 public:
  PatchReader(const GroupSpec& group, const std::vector<std::string>& jobs) : group_(group), jobs_(jobs) {}

  RuntimePatch read(Json patch);

 private:
  Json job_of(Json job, const std::string& name);
  void take_resources(Json& container);
  void take_variables(const Json& container);
  void remove_installer(Json& job);
  void note(const std::string& field, const std::string& why) {
    const std::string text = "kubernetes.patch." + field + ": " + why;
    if (std::find(notes_.begin(), notes_.end(), text) == notes_.end()) notes_.push_back(text);
  }

  const GroupSpec& group_;
  const std::vector<std::string>& jobs_;
  Json resources_ = Json::object();
  std::vector<std::string> variables_;
  std::vector<std::string> notes_;
};

// Trainer replaces the resources of the container by `resourcesPerNode` of the TrainJob.
void PatchReader::take_resources(Json& container) {
  const auto wanted = container.find("resources");
  if (wanted == container.end() || !(wanted->is_object() || wanted->is_null())) return;
  resources_ = *wanted;  // if a patch has the group twice, the later one counts
  container.erase("resources");
}

// mpirun gives ranks in other pods the variables of its own pod.
void PatchReader::take_variables(const Json& container) {
  const bool by_mpirun = jobs_.size() > 1;
  if (by_mpirun && container.contains("envFrom"))
    note("envFrom", "only ranks in the pod of mpirun get these variables");
  const auto env = container.find("env");
  if (env == container.end() || !env->is_array()) return;
  for (const Json& each : *env) {
    const std::string name = name_of(each);
    if (name.empty() || each.contains("$patch")) continue;
    const Json source = each.value("valueFrom", Json());
    const bool differs = source.contains("fieldRef") || source.contains("resourceFieldRef");
    if (differs && by_mpirun)
      note("env." + escaped(name), "only ranks in the pod of mpirun get it, because it differs between pods");
    if (!differs && std::find(variables_.begin(), variables_.end(), name) == variables_.end())
      variables_.push_back(name);
  }
}

void PatchReader::remove_installer(Json& job) {
  Json* containers = list_in(job, "/template/spec/template/spec/initContainers");
  if (containers == nullptr) return;
  const auto end = std::remove_if(containers->begin(), containers->end(),
                                  [](const Json& each) { return name_of(each) == kInstaller; });
  if (end == containers->end()) return;
  containers->erase(end, containers->end());
  note("initContainers." + std::string(kInstaller), "Trainer's pods have no init container of muster");
}

Json PatchReader::job_of(Json job, const std::string& name) {
  job["name"] = name;
  if (Json* containers = list_in(job, "/template/spec/template/spec/containers")) {
    for (Json& each : *containers) {
      if (name_of(each) != pod::kAgentContainer) continue;
      each["name"] = kTrainerNode;
      take_resources(each);
      take_variables(each);
    }
  }
  remove_installer(job);
  // Trainer gives all Jobs with labels the command of the TrainJob, and the nodes of MPI run sshd.
  const Json::json_pointer labels("/template/metadata/labels");
  if (jobs_.size() > 1 && name == kTrainerNode && job.contains(labels)) {
    job["template"]["metadata"].erase("labels");
    note("labels", "the Job `" + name + "` of an MPI runtime gets no labels, because Trainer would start mpirun in it");
  }
  return job;
}

RuntimePatch PatchReader::read(Json patch) {
  Json changes = Json::object();
  for (const auto& [key, value] : patch.items()) {
    if (key == "metadata" || key == "spec")
      changes[key] = value;
    else
      note(escaped(key), "a TrainingRuntime has no such field");
  }
  if (Json* theirs = list_in(changes, "/spec/replicatedJobs")) {
    Json ours = Json::array();
    for (const Json& each : *theirs) {
      if (name_of(each) != group_.name) {
        note("spec.replicatedJobs." + escaped(name_of(each)), "the TrainingRuntime has no such job");
        continue;
      }
      for (const std::string& name : jobs_) ours.push_back(job_of(each, name));
    }
    *theirs = std::move(ours);
    if (theirs->empty()) changes["spec"].erase("replicatedJobs");
  }
  return {changes.dump(), resources_.dump(), std::move(variables_), std::move(notes_)};
}

}  // namespace

RuntimePatch runtime_patch(const JobSpec& spec, const GroupSpec& group, const std::vector<std::string>& jobs) {
  if (spec.kubernetes.patch.empty()) return {};
  Json patch = Json::parse(spec.kubernetes.patch, nullptr, false);
  return patch.is_object() ? PatchReader(group, jobs).read(std::move(patch)) : RuntimePatch();
}

}  // namespace muster
