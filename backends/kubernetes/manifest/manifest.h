// SPDX-License-Identifier: Apache-2.0
// Converts a job into Kubernetes objects: a JobSet, a Secret, and what its `kubernetes:` block asks for (a ConfigMap for files, a
// PodGroup). Pure: the same job gives the same text, without random values or times; only the Secret contains secrets. The names that the
// programs in pods rely on are in core/job/pod_words.h.
//
// Each object is a JSON text on one line, with keys in a readable order. core/client/view/json.h converts it to YAML.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/job/diagnostic.h"
#include "core/job/file/job_yaml.h"
#include "core/job/job_spec.h"

namespace muster {

// Facts about a job in a cluster that are not in its spec.
struct ClusterJob {
  std::string name;               // of the JobSet; is_name()
  std::string image;              // muster's image if the spec names none: "muster:0.1.0"
  std::string cluster_namespace;  // empty: omitted, so that kubectl's namespace applies
  std::string owner_uid;          // uid of the JobSet if it exists: it then owns all other objects
};

// Problems of `spec` on Kubernetes: unsupported settings, and invalid names, quantities and volumes. Each has a code (E16xx) and the
// position from `places`, else `origin`. The functions below require a spec without such errors.
std::vector<Diagnostic> check_for_cluster(const JobSpec& spec, const ClusterJob& job, const std::string& origin,
                                          const Places& places = {});

// The spec as the coordinator gets it: `workers: auto` and `gpus: auto` are replaced by numbers.
JobSpec settled_for_cluster(const JobSpec& spec);

// Notes about values that were chosen for the user, one sentence each.
std::vector<std::string> remarks_for_cluster(const JobSpec& spec);

// The name of the job's Secret: NAME-muster.
std::string secret_name(const ClusterJob& job);

std::string job_set_object(const JobSpec& spec, const ClusterJob& job);
// The other objects except the Secret (ConfigMaps, PodGroup). The JobSet owns them if job.owner_uid is set.
std::vector<std::string> objects_beside(const JobSpec& spec, const ClusterJob& job);
// objects_beside() and then the JobSet. They contain no secret, so they may be kept in a Git repository and passed to `kubectl apply`.
std::vector<std::string> manifest_objects(const JobSpec& spec, const ClusterJob& job);

// `token`: at least 32 random bytes as text, known only to the pods of this job. `secrets`: values by variable.
std::string secret_object(const JobSpec& spec, const ClusterJob& job, const std::string& token,
                          const std::map<std::string, std::string>& secrets);

}  // namespace muster
