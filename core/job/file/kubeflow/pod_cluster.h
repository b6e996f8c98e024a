// SPDX-License-Identifier: Apache-2.0
// Reads the settings of a pod template that only a cluster has: as keys of `kubernetes`, and as a patch for the rest. Private
// to core/job/file/kubeflow.
#pragma once

#include "core/job/document/yaml_document.h"
#include "core/job/file/kubeflow/pod_group.h"
#include "core/job/file/kubeflow/pod_variables.h"

namespace muster {

// Adds to `kubernetes` of the job and of the group. Fields that muster has no key for are passed on: they
// become the patch of the group's pods. Settings that only a job has are in `pods` of the group until
// share_pod_settings() moves them.
void read_cluster_pod(YamlNode& job, const YamlNode& pod_template, const YamlNode& container, PodGroup& group,
                      const Variables::Passed& variables);

// After all groups are added: settings that all pods have alike become those of the job. Those that differ stay with
// their pods, as a patch. Reports `workingDir` if it differs.
void share_pod_settings(Reading& reading, YamlNode& job);

// `workingDir` of the container, in `pods` of a group.
constexpr const char* kWorkdir = "workdir";

// Whether `pods` have settings, other than `workingDir`, that `others` do not have.
bool has_other_settings(const PodGroup& pods, const PodGroup& others);

// Labels and annotations of the Jobs of a group are passed on. `job_template`: the template of a replicated job.
void read_cluster_job(const YamlNode& job_template, PodGroup& group);

}  // namespace muster
