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
void replace_host_name(Reading& reading, PodGroup& group, const FirstPod& first);

// The names of the pods of a group.
struct PodNames {
  std::string prefix;      // "JOB-GROUP-"
  bool one_index = false;  // JOB-ROLE-INDEX, as the operators name them; else JOB-GROUP-INDEX-INDEX, as JobSet does
};

// A note for the host name of another pod. On hosts no such name means anything, and in a cluster those of operators do
// not, because muster's pods have the names of a JobSet.
void note_other_pods(Reading& reading, const PodGroup& group, const PodNames& names);

}  // namespace muster
