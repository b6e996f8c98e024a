// SPDX-License-Identifier: Apache-2.0
// The JobSet in a TrainingRuntime (spec.template), with the pods of the ranks. Pure. Private to core/job/file/kubeflow.
#pragma once

#include <string>
#include <vector>

#include "core/job/job_spec.h"

namespace muster {

struct RuntimeTemplate {
  std::string jobset;                  // JSON on one line
  std::string resources = "{}";        // resourcesPerNode of the TrainJob as JSON; {}: none, or the JobSet has them
  std::vector<std::string> variables;  // by `kubernetes.patch`, with the same value in all pods
  std::vector<std::string> notes;
};
RuntimeTemplate runtime_template(const JobSpec& spec, const GroupSpec& group);

}  // namespace muster
