// SPDX-License-Identifier: Apache-2.0
// Constants that the manifest of a job and the programs in its pods share: variables, paths, ports
// (docs/design/kubernetes.md).
//
// The JobSet of a job has these replicated jobs: `coordinator` with one pod; one for each group, with the group's name
// and pods; and `verdict`. The pod of `verdict` starts only after the job has failed: the coordinator's pod becomes
// ready then, and `verdict` depends on that. The verdict pod fails, and so does the JobSet; the coordinator's pod and
// its log stay.
#pragma once

#include <cstdint>

namespace muster::pod {

// muster's own replicated jobs. Groups cannot have these names.
constexpr const char* kCoordinatorJob = "coordinator";
constexpr const char* kVerdictJob = "verdict";

// The containers of muster have the name of their replicated job, and in the pods of ranks this one. A cluster may add containers
// before and after them.
constexpr const char* kAgentContainer = "agent";

// Ports of the coordinator's pod: agents connect to this one with TLS …
constexpr uint16_t kAgentPort = 7733;
// … and the readiness probe connects to this one, which is open only after the job has failed.
constexpr uint16_t kFailedPort = 7734;

// An emptyDir in every pod, with muster's program and files that exist as long as the pod.
constexpr const char* kFolder = "/muster";
constexpr const char* kProgram =
    "/muster/bin/muster";  // copied by `muster pod install /muster/bin` in an init container with muster's image
constexpr const char* kState = "/muster/state";
// In muster's image.
constexpr const char* kImageProgram = "/muster-image/muster";

// The Secret NAME-muster and the folder where it is mounted: `token` in every pod, `secrets.json` ({"NAME": "value"})
// only in the coordinator's pod.
constexpr const char* kSecretSuffix = "-muster";
constexpr const char* kSecretFolder = "/muster-secret";
constexpr const char* kTokenKey = "token";
constexpr const char* kSecretsKey = "secrets.json";

// Environment variables. The Job controller sets kIndexVariable in pods of indexed Jobs.
constexpr const char* kIndexVariable = "JOB_COMPLETION_INDEX";
constexpr const char* kCoordinatorVariable =
    "MUSTER_POD_COORDINATOR";                                   // of agents and verdict: host name of the coordinator
constexpr const char* kGroupVariable = "MUSTER_POD_GROUP";      // of agents: index of the group in the job, from 0
constexpr const char* kJobVariable = "MUSTER_POD_JOB";          // of the coordinator: the spec as JSON (job_yaml.h)
constexpr const char* kNameVariable = "MUSTER_POD_NAME";        // from metadata.name
constexpr const char* kUidVariable = "MUSTER_POD_UID";          // from metadata.uid
constexpr const char* kAddressVariable = "MUSTER_POD_ADDRESS";  // from status.podIP
constexpr const char* kNodeVariable = "MUSTER_POD_NODE";        // from spec.nodeName
// Of agents and coordinator: the termination delay, the time that a container stays after its work is done when it was
// asked to end. The cluster then creates the next pod at once (docs/design/decisions/0022-lost-pods.md).
constexpr const char* kStayVariable = "MUSTER_POD_STAY";

// The file for the termination message of a container.
constexpr const char* kFailureMessage = "/dev/termination-log";

// The label of all objects of a job.
constexpr const char* kJobLabel = "muster.dev/job";

}  // namespace muster::pod
