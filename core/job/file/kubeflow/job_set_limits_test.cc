// SPDX-License-Identifier: Apache-2.0
// The order and the limits of the Jobs of a JobSet.
#include <gtest/gtest.h>

#include "core/job/file/kubeflow/translated_test.h"

namespace muster {
namespace {

// A JobSet with these lines in `replicatedJobs`, and one of them.
std::string set_of(const std::string& jobs) {
  return manifest("jobset.x-k8s.io/v1alpha2", "JobSet", "  replicatedJobs:\n" + jobs);
}
std::string job_of_set(const std::string& name, const std::string& more = "", const std::string& of_spec = "") {
  return "    - {name: " + name + more + ", template: {spec: {" + of_spec +
         "template: {spec: {containers: [{name: x, image: i, command: [./x]}]}}}}}\n";
}

TEST(JobSet, DependsOnCompletion_IsRefused) {
  const auto told = [](const std::string& status) {
    return translated(set_of(job_of_set("prepare") +
                             job_of_set("train", ", dependsOn: [{name: prepare, status: " + status + "}]")))
        .told();
  };
  EXPECT_EQ(told("Complete"),
            "E1803 7:57 `train` waits until `prepare` is complete, and muster starts all groups together\n");
  EXPECT_EQ(told("Ready"), "");
}

TEST(JobSet, LimitsOfItsJobs_AreReadOrNamed) {
  const auto limited = [](const std::string& of_spec) {
    const std::string deadline = "activeDeadlineSeconds: 60, ";
    return set_of(job_of_set("a", "", of_spec + ", " + deadline) + job_of_set("b", "", deadline));
  };
  const Translated job = translated(limited("completionMode: Indexed"));
  ASSERT_EQ(job.told(), "");
  EXPECT_EQ(job.spec.timeouts.run, std::chrono::seconds(60));
  EXPECT_EQ(translated(limited("managedBy: kueue.x-k8s.io/multikueue")).told().substr(0, 5), "E1803");
  const Translated noted = in_cluster(limited("suspend: true, ttlSecondsAfterFinished: 60"));
  ASSERT_EQ(noted.told(), "");
  EXPECT_FALSE(noted.spec.kubernetes.suspend);
  EXPECT_FALSE(noted.spec.kubernetes.ttl);
  EXPECT_EQ(noted.notes.size(), 2u);
}

TEST(JobSet, BackoffLimitsThatDiffer_AreNoted) {
  const auto notes = [](const std::string& a, const std::string& b) {
    const Translated job = in_cluster(set_of(job_of_set("a", "", a) + job_of_set("b", "", b)));
    EXPECT_EQ(job.told(), "");
    return job.notes;
  };
  for (const char* other : {"backoffLimit: 0, ", "backoffLimit: 2, ", ""}) {
    const auto found = notes(other, "backoffLimit: 3, ");
    ASSERT_EQ(found.size(), 1u) << other;
    EXPECT_NE(found[0].find("`backoffLimit: 3` of `b` is the limit of all groups"), std::string::npos) << found[0];
  }
  EXPECT_EQ(notes("backoffLimit: 3, ", "backoffLimit: 3, "), std::vector<std::string>{});
  EXPECT_EQ(notes("backoffLimit: 0, ", ""), std::vector<std::string>{});
}

// A TrainJob, and its runtime with this policy for groups of pods.
std::string gang_of(const std::string& policy, const std::string& of_job = "activeDeadlineSeconds: 30") {
  return "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: ClusterTrainingRuntime\nmetadata: {name: own}\nspec:\n  "
         "mlPolicy: {torch: {}}\n  podGroupPolicy: " +
         policy +
         "\n  template:\n    metadata: {annotations: {scheduling.volcano.sh/queue-name: team}}\n    spec: "
         "{replicatedJobs: [{name: node, template: {spec: {" +
         of_job + ", template: {spec: {containers: [{name: node, image: i, command: [python, t.py]}]}}}}}]}\n---\n" +
         manifest("trainer.kubeflow.org/v1alpha1", "TrainJob", "  runtimeRef: {name: own}\n");
}

TEST(TrainJob, PodGroupPolicyInACluster_IsReadOrNamed) {
  const Translated plain = in_cluster(gang_of("{volcano: {}}"));
  ASSERT_EQ(plain.told(), "");
  EXPECT_EQ(plain.notes.size(), 0u);
  EXPECT_EQ(plain.spec.kubernetes.gang, PodGang::volcano);
  EXPECT_EQ(plain.spec.kubernetes.queue, "team");
  EXPECT_EQ(plain.spec.timeouts.run, std::chrono::seconds(30));
  EXPECT_EQ(in_cluster(gang_of("{volcano: {networkTopology: {mode: hard}}}")).notes.size(), 1u);
  const Translated coscheduling = in_cluster(gang_of("{coscheduling: {scheduleTimeoutSeconds: 120}}"));
  ASSERT_EQ(coscheduling.told(), "");
  EXPECT_EQ(coscheduling.notes.size(), 1u);
  EXPECT_EQ(coscheduling.spec.kubernetes.queue, "");
}

TEST(JobSet, WrittenByMuster_IsRefusedWithOneError) {
  const std::string text =
      "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata:\n  name: a\n  labels:\n    muster.dev/job: a\n"
      "spec: {replicatedJobs: [{name: a, template: {spec: {backoffLimitPerIndex: 1}}}]}\n";
  EXPECT_EQ(translated(text).told(), "E1803 6:21 muster wrote this JobSet for a cluster, and does not read it back\n");
}

}  // namespace
}  // namespace muster
