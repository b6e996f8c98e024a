// SPDX-License-Identifier: Apache-2.0
// The name by which the pods of a job find its first pod. Private to core/job/file/kubeflow.
#pragma once

#include <string>

#include "core/job/file/kubeflow/pod_group.h"
#include "core/job/file/kubeflow/reading.h"

namespace muster {

struct FirstPod {
  std::string host;        // "mnist-node-0-0"
  std::string subdomain;   // of the job's service: "mnist"; empty: the pod has a service of its own
  std::string name_space;  // the last part that names have before "svc"
};

// In variables and in the command, replaces the name by the address of the first rank: the whole text, and a part of it
// such as in `tcp://mnist-node-0-0.mnist:29500`.
void replace_host_name(PodGroup& group, const FirstPod& first);

// For hosts: a note for the host name of another pod, JOB-GROUP-INDEX-INDEX, which means nothing there. `prefix`:
// "JOB-GROUP-".
void note_other_pods(Reading& reading, const PodGroup& group, const std::string& prefix);

}  // namespace muster
