// A job as objects of Kubernetes: one JobSet, a Secret beside it, and what its `kubernetes:` block calls for (a ConfigMap
// for files, a PodGroup). Pure: same job, same text; nothing random, no time, no secret but in the Secret. What the pods
// rely on is in core/job/pod_words.h.
//
// Objects are JSON texts on one line, names in an order that people read; core/client/view/json.h makes YAML of them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/job/diagnostic.h"
#include "core/job/file/job_yaml.h"
#include "core/job/job_spec.h"

namespace muster {

// What a cluster has to know of a job beside its spec.
struct ClusterJob {
  std::string name;               // of the JobSet; is_name()
  std::string image;              // ours, where the spec names none: "muster:0.1.0"
  std::string cluster_namespace;  // empty: not written, so that kubectl's own holds
  std::string owner_uid;          // of the JobSet, if it is there: it then owns all other objects, and they go with it
};

// What `spec` asks that Kubernetes cannot give, or that no object could be made of: names, quantities, volumes; each
// with its code (E16xx), placed where `places` says its value stands, else at `origin`. Objects want a spec without.
std::vector<Diagnostic> check_for_cluster(const JobSpec& spec, const ClusterJob& job, const std::string& origin,
                                          const Places& places = {});

// The spec as the coordinator gets it: counts that follow a machine elsewhere (`workers: auto`, `gpus: auto`) are numbers.
JobSpec settled_for_cluster(const JobSpec& spec);

// What was decided for the user and can be told in a sentence each.
std::vector<std::string> remarks_for_cluster(const JobSpec& spec);

// What names the job in the cluster: NAME-muster.
std::string secret_name(const ClusterJob& job);

std::string job_set_object(const JobSpec& spec, const ClusterJob& job);
// What it stands on beside the Secret, and owns once its uid is known.
std::vector<std::string> objects_beside(const JobSpec& spec, const ClusterJob& job);
// All of these: what `kubectl apply` takes and a Git repository may hold. The JobSet is the last.
std::vector<std::string> manifest_objects(const JobSpec& spec, const ClusterJob& job);

// `token` is shared by the pods of this job and by nobody else (32 random bytes or more, as text). `secrets`: values by
// variable.
std::string secret_object(const JobSpec& spec, const ClusterJob& job, const std::string& token,
                          const std::map<std::string, std::string>& secrets);

}  // namespace muster
