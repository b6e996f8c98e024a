// SPDX-License-Identifier: Apache-2.0
// The variables of a job's ranks as Trainer, the Job of its pods and Kubernetes can set them. Pure. Private to
// core/job/file/kubeflow.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/job/job_spec.h"

namespace muster {

// The replicated jobs of a TrainingRuntime, and the container of the training in their pods.
constexpr const char* kTrainerNode = "node";
constexpr const char* kTrainerLauncher = "launcher";  // of MPI

// Whether muster starts the ranks as torchrun would.
bool is_torch(Framework framework);

// In commands and variables, Kubernetes replaces $(NAME) by the value of a variable, and $$ by one dollar sign. Returns
// the text that becomes `literal` then.
std::string kubernetes_text(std::string_view literal);

// `custom` of a job.
struct TrainerVariables {
  // A command that starts torchrun itself, once in each pod, with the variables of Trainer's torch policy: the number of
  // its processes, or auto, cpu or gpu. nullopt: another job.
  std::optional<std::string> processes;
  std::map<std::string, std::string> values;  // literal
  std::map<std::string, std::string> fields;  // paths of fields of the pod
  std::vector<std::string> lost;              // names that nobody sets
};
TrainerVariables trainer_variables(const JobSpec& spec, const GroupSpec& group);

}  // namespace muster
