// What the manifest of a job and the programs in its pods have to agree on: variables, paths, ports (docs/kubernetes.md).
//
// A JobSet NAME has a replicated job `coordinator` with one pod, one with the pods of each group (named like it), and `verdict`, whose pod
// comes only when the job has failed: the coordinator is ready from then on, and `verdict` waits for that. It fails, and the JobSet with it; the
// coordinator's pod and log stay.
#pragma once

#include <cstdint>

namespace muster::pod {

// Replicated jobs of ours; groups may not be called so.
constexpr const char* kCoordinatorJob = "coordinator";
constexpr const char* kVerdictJob = "verdict";

// Of the coordinator's pod: agents come there, over TLS …
constexpr uint16_t kAgentPort = 7733;
// … and here the cluster's probe asks whether the job has failed, and is answered once it has.
constexpr uint16_t kFailedPort = 7734;

// An emptyDir in every pod: the program, and below it what lasts as long as the pod.
constexpr const char* kFolder = "/muster";
constexpr const char* kProgram =
    "/muster/bin/muster";  // put there by `muster pod install /muster/bin`, an init container of our image
constexpr const char* kState = "/muster/state";
// In our image.
constexpr const char* kImageProgram = "/muster-image/muster";

// A Secret NAME-muster, mounted here: `token` in every pod, `secrets.json` ({"NAME": "value"}) in the coordinator's alone.
constexpr const char* kSecretSuffix = "-muster";
constexpr const char* kSecretFolder = "/muster-secret";
constexpr const char* kTokenKey = "token";
constexpr const char* kSecretsKey = "secrets.json";

// Variables. The Job controller sets kIndexVariable in pods of indexed Jobs.
constexpr const char* kIndexVariable = "JOB_COMPLETION_INDEX";
constexpr const char* kCoordinatorVariable =
    "MUSTER_POD_COORDINATOR";                               // of agents and verdict: its host name in the cluster
constexpr const char* kGroupVariable = "MUSTER_POD_GROUP";  // of agents: the group's place in the job, from 0
constexpr const char* kJobVariable = "MUSTER_POD_JOB";      // of the coordinator: the spec as JSON (model/job_yaml.h)
constexpr const char* kNameVariable = "MUSTER_POD_NAME";    // from metadata.name
constexpr const char* kUidVariable = "MUSTER_POD_UID";      // from metadata.uid
constexpr const char* kAddressVariable = "MUSTER_POD_ADDRESS";  // from status.podIP
constexpr const char* kNodeVariable = "MUSTER_POD_NODE";        // from spec.nodeName
// Of agents and coordinator: how long a container that was told to end stays behind its work. A cluster that sees it then makes the
// next pod at once, where it saw the pod before unready for long (docs/decisions/0022-lost-pods.md).
constexpr const char* kStayVariable = "MUSTER_POD_STAY";

// Where a container leaves its last sentence for the cluster.
constexpr const char* kFailureMessage = "/dev/termination-log";

// Labels of what belongs to a job.
constexpr const char* kJobLabel = "muster.dev/job";

}  // namespace muster::pod
