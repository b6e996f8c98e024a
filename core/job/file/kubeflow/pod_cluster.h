// SPDX-License-Identifier: Apache-2.0
// Reads the settings of a pod template that only a cluster has: as keys of `kubernetes`, and as a patch for the rest. Private
// to core/job/file/kubeflow.
#pragma once

#include "core/job/document/yaml_document.h"
#include "core/job/file/kubeflow/pod_group.h"
#include "core/job/file/kubeflow/pod_variables.h"

namespace muster {

// Adds to `kubernetes` of the job and of the group. Fields that muster has no key for are passed on: they
// become the patch of the group's pods.
void read_cluster_pod(YamlNode& job, const YamlNode& pod_template, const YamlNode& container, PodGroup& group,
                      const Variables::Passed& variables);

// Labels and annotations of the Jobs of a group are passed on. `job_template`: the template of a replicated job.
void read_cluster_job(const YamlNode& job_template, PodGroup& group);

}  // namespace muster
