// SPDX-License-Identifier: Apache-2.0
// batch/v1 Job and jobset.x-k8s.io/v1alpha2 JobSet.
#include <algorithm>
#include <array>
#include <iterator>
#include <vector>

#include "core/job/file/kubeflow/fields/kind_fields.h"
#include "core/job/file/kubeflow/fields/pod_fields.h"

namespace muster {
namespace {

using enum FieldType;

constexpr std::array kFailureRules{
    used("name", text, "for people"),
    used("action", text, "FailJobSet: `restarts.never_on`; …AndIgnoreMaxRestarts: `restarts.always_on`"),
    used("onJobFailureReasons", texts, "PodFailurePolicy and BackoffLimitExceeded, the failures of pods"),
    used("targetReplicatedJobs", texts, "the groups whose failures it is about; without it, all"),
    refused("onJobFailureMessagePatterns", texts, "use `message` in `restarts.never_on` of a job file"),
};
constexpr std::array kFailurePolicy{
    used("maxRestarts", integer, "`restarts.limit`"),
    ignored("restartStrategy", text, "muster restarts ranks in the pods that are there"),
    used("rules", list, "`restarts.never_on` and `restarts.always_on`", kFailureRules),
};
constexpr std::array kSuccessPolicy{
    used("operator", text, "All, or Any with one target whose Jobs have one pod each"),
    used("targetReplicatedJobs", texts, "the other groups get `success: background`"),
};
constexpr std::array kStartupPolicy{
    ignored("startupPolicyOrder", text, "all ranks start together; the rendezvous waits for the last one"),
};
constexpr std::array kCoordinator{
    ignored("replicatedJob", text, "ranks meet at the first rank of the first group"),
    ignored("jobIndex", integer, "ranks meet at the first rank of the first group"),
    ignored("podIndex", integer, "ranks meet at the first rank of the first group"),
};

constexpr std::string_view kOfJobs = "muster makes the Jobs itself";
constexpr std::array kJobMetadata{
    used("labels", text_map, "the label that says which Job trains; in a cluster, labels of the Jobs"),
    used_in_cluster("annotations", text_map, "annotations of the Jobs"),
    ignored("name", text, kOfJobs),
    ignored("generateName", text, kOfJobs),
    ignored("namespace", text, kOfJobs),
    ignored("creationTimestamp", text, kOfJobs),
    ignored("finalizers", texts, kOfJobs),
};

const auto& job_template() {
  static const std::array fields{
      used("metadata", map, "labels and annotations", kJobMetadata),
      used("spec", map, "the Job; its `suspend` and `ttlSecondsAfterFinished` have no effect", job_of_set_fields()),
  };
  return fields;
}

const auto& replicated_job() {
  static const std::array fields{
      used("name", text, "name of the group"),
      used("replicas", integer, "times parallelism: `nodes`"),
      used("template", map, "the Job", job_template()),
      ignored("groupName", text, "it only labels pods"),
      ignored("dependsOn", list, "the ranks of all groups start together; `status: Complete` is refused in a JobSet"),
  };
  return fields;
}

const auto& job_set_spec() {
  static const std::array fields{
      used("replicatedJobs", list, "the groups", replicated_job()),
      used("successPolicy", map, "which groups must succeed", kSuccessPolicy),
      used("failurePolicy", map, "restarts", kFailurePolicy),
      used("startupPolicy", map, "the order of the groups", kStartupPolicy),
      used("suspend", truth, "`hold`, in a cluster `kubernetes.suspend`"),
      used_in_cluster("ttlSecondsAfterFinished", integer, "`kubernetes.ttl`; on hosts: muster rm --older"),
      ignored("network", map, "ranks get addresses from muster; `subdomain` is part of the first host name"),
      used("coordinator", map, "where ranks meet", kCoordinator),
      used("managedBy", text, "refused if another controller would run the job"),
      refused("volumeClaimPolicies", list, "create the PersistentVolumeClaim, and name it in `volumes`"),
  };
  return fields;
}

// The row of a Job, as it is in a JobSet.
ManifestField in_job_set(const ManifestField& row) {
  if (row.name == "suspend") return ignored(row.name, row.type, "the JobSet decides whether its Jobs run");
  if (row.name == "ttlSecondsAfterFinished")
    return ignored(row.name, row.type, "the Jobs are deleted with their JobSet");
  return row;
}

}  // namespace

ManifestFields job_of_set_fields() {
  static const std::vector<ManifestField> fields = [] {
    std::vector<ManifestField> rows;
    std::transform(job_fields().begin(), job_fields().end(), std::back_inserter(rows), in_job_set);
    return rows;
  }();
  return fields;
}

ManifestFields job_object_fields() {
  static const std::array fields{
      used("apiVersion", text, "batch/v1"),
      used("kind", text, "Job"),
      used("metadata", map, "name and labels", object_metadata_fields()),
      used("spec", map, "the Job", job_fields()),
      ignored("status", map, "the controller wrote it"),
  };
  return fields;
}

ManifestFields job_set_fields() {
  static const std::array fields{
      used("apiVersion", text, "jobset.x-k8s.io/v1alpha2"),
      used("kind", text, "JobSet"),
      used("metadata", map, "name and labels", object_metadata_fields()),
      used("spec", map, "the JobSet", job_set_spec()),
      ignored("status", map, "the controller wrote it"),
  };
  return fields;
}

}  // namespace muster
