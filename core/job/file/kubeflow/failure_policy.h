// SPDX-License-Identifier: Apache-2.0
// Which failures restart the ranks: podFailurePolicy of a Job and the rules of failurePolicy of a JobSet, as the rules of
// `restarts` of a job file. Private to core/job/file/kubeflow.
#pragma once

#include "core/job/document/yaml_document.h"
#include "core/job/file/kubeflow/reading.h"

namespace muster {

// podFailurePolicy of a Job that is not part of a JobSet. `spec`: of the Job.
void read_pod_failure_policy(Reading& reading, YamlNode& job, const YamlNode& spec);

// The rules of failurePolicy that apply to a replicated job, with its podFailurePolicy. Its ranks are `group`. `spec`: of the JobSet.
void read_failure_policy(Reading& reading, YamlNode& job, const YamlNode& spec, const YamlNode& replicated,
                         const std::string& group);

}  // namespace muster
