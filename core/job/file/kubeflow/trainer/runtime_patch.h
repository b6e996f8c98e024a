// SPDX-License-Identifier: Apache-2.0
// `kubernetes.patch`, which changes the JobSet of muster, as a change of the JobSet in a TrainingRuntime. For jobs read
// from manifests, it has what muster passes on: volumes, variables from Secrets, labels of pods and so on. Pure. Private
// to core/job/file/kubeflow. JSON is passed as text, because nlohmann's types are used only in .cc files.
#pragma once

#include <string>
#include <vector>

#include "core/job/job_spec.h"

namespace muster {

struct RuntimePatch {
  std::string changes = "{}";  // of spec.template of the runtime
  // Of the container of the training: requests, limits, claims. A null removes a value, and "null" all of them.
  std::string resources = "{}";
  std::vector<std::string> variables;  // of the container of the training, those with the same value in all pods
  std::vector<std::string> notes;
};
// `jobs`: the replicated jobs of the runtime whose pods have ranks.
RuntimePatch runtime_patch(const JobSpec& spec, const GroupSpec& group, const std::vector<std::string>& jobs);

}  // namespace muster
