// SPDX-License-Identifier: Apache-2.0
// Values that Kubernetes or an operator rejects, or that would mean something else in muster.
#include <gtest/gtest.h>

#include "core/job/file/kubeflow/translated_test.h"

namespace muster {
namespace {

const std::string kContainer = "name: pytorch, image: a, command: [./x]";

std::string told_of_policy(const std::string& policy) {
  return translated(
             pytorch(replica("Worker", 1, kContainer, ", restartPolicy: OnFailure"), "  runPolicy: {" + policy + "}\n"))
      .told();
}

TEST(RejectedValues, NegativeLimits_AreNamedAsInTheManifest) {
  EXPECT_EQ(told_of_policy("backoffLimit: -3"),
            "E1802 5:29 `backoffLimit` must be a whole number of at least 0, not -3\n");
  EXPECT_EQ(told_of_policy("activeDeadlineSeconds: -5"),
            "E1802 5:38 `activeDeadlineSeconds` must be a whole number of at least 1, not -5\n");
  EXPECT_EQ(told_of_policy("activeDeadlineSeconds: 0"),
            "E1802 5:38 `activeDeadlineSeconds` must be a whole number of at least 1, not 0\n");
  EXPECT_EQ(told_of_policy("ttlSecondsAfterFinished: -1").substr(0, 5), "E1802");
  EXPECT_EQ(told_of_policy("backoffLimit: 0, ttlSecondsAfterFinished: 0, activeDeadlineSeconds: 1"), "");
}

TEST(RejectedValues, LimitsOfAJobSet_AreChecked) {
  const auto told = [](const std::string& of_set, const std::string& of_job) {
    return translated(manifest("jobset.x-k8s.io/v1alpha2", "JobSet",
                               of_set + "  replicatedJobs:\n    - {name: a, template: {spec: {" + of_job +
                                   "template: {spec: {containers: [{" + kContainer + "}]}}}}}\n"))
        .told()
        .substr(0, 5);
  };
  EXPECT_EQ(told("  failurePolicy: {maxRestarts: -1}\n", ""), "E1802");
  EXPECT_EQ(told("", "backoffLimit: -1, "), "E1802");
  EXPECT_EQ(told("", "activeDeadlineSeconds: 0, "), "E1802");
  EXPECT_EQ(told("", "backoffLimit: 2147483647, "), "");
}

std::string told_of_pod(const std::string& container, const std::string& pod = "") {
  return translated(
             pytorch(replica("Worker", 1, kContainer + ", " + container + "}]" + pod + ", tolerations: [{key: k")))
      .told();
}

TEST(RejectedValues, OfAPod_AreReported) {
  EXPECT_NE(told_of_pod("env: [{name: A, value: x, valueFrom: {fieldRef: {fieldPath: metadata.name}}}]")
                .find("`A` has both `value` and `valueFrom`"),
            std::string::npos);
  EXPECT_EQ(told_of_pod("env: [{name: A, value: \"\", valueFrom: {fieldRef: {fieldPath: metadata.name}}}]"), "");
  EXPECT_NE(told_of_pod("volumeMounts: [{name: data, mountPath: /d}]", ", volumes: [{name: dat, emptyDir: {}}]")
                .find("this pod has no volume `data`"),
            std::string::npos);
  EXPECT_EQ(told_of_pod("volumeMounts: [{name: data, mountPath: /d}]", ", volumes: [{name: data, emptyDir: {}}]"), "");
  EXPECT_NE(told_of_pod("resources: {requests: {cpu: 4}, limits: {cpu: 2000m}}")
                .find("`requests.cpu: 4` is more than its limit, 2000m"),
            std::string::npos);
  EXPECT_EQ(told_of_pod("resources: {requests: {cpu: 2, memory: 1Gi}, limits: {cpu: 2000m, memory: 2Gi}}"), "");
}

TEST(RejectedValues, OfAJob_AreReported) {
  const auto told = [](const std::string& job, const std::string& pod) {
    return translated(manifest("batch/v1", "Job",
                               job + "  template: {spec: {" + pod + "containers: [{name: x, command: [./x]}]}}\n"))
        .told();
  };
  const auto policy = [&](const std::string& container) {
    return told("  podFailurePolicy: {rules: [{action: FailJob, onExitCodes: {containerName: " + container +
                    ", operator: In, values: [3]}}]}\n",
                "");
  };
  EXPECT_EQ(policy("zz"), "E1802 5:77 `zz` is not one of x\n");
  EXPECT_EQ(policy("x"), "");
  EXPECT_NE(told("", "restartPolicy: Foo, ").find("`Foo` is no restartPolicy"), std::string::npos);
  EXPECT_NE(told("", "restartPolicy: Always, ").find("`Always` is no restartPolicy"), std::string::npos);
  EXPECT_EQ(told("", "restartPolicy: OnFailure, "), "");
}

TEST(RejectedValues, OfAnOperator_AreReported) {
  EXPECT_EQ(translated(pytorch(replica("Master", 2, kContainer))).told(), "E1802 6:24 there is one Master, not 2\n");
  EXPECT_NE(translated(pytorch(replica("Master", 0, kContainer) + replica("Worker", 1, kContainer))).told(), "");
  EXPECT_EQ(translated(pytorch(replica("Worker", 1, "name: x, command: [./x]"))).told(),
            "E1802 6:65 the operator looks for a container called `pytorch`, and this pod has none\n");
  const auto mpi = [](int launchers, const std::string& policy = "None") {
    return translated(manifest("kubeflow.org/v2beta1", "MPIJob",
                               "  runPolicy: {cleanPodPolicy: " + policy + "}\n  mpiReplicaSpecs:\n" +
                                   replica("Launcher", launchers, "name: l, command: [mpirun, ./x]") +
                                   replica("Worker", 2, "name: w")))
        .told();
  };
  EXPECT_NE(mpi(2).find("there is one Launcher, not 2"), std::string::npos);
  EXPECT_EQ(mpi(1), "");
  EXPECT_NE(mpi(1, "Foo").find("there is no cleanPodPolicy `Foo`"), std::string::npos);
}

TEST(RejectedValues, NoReplicasInAnyRole_AreReportedAtTheRoles) {
  EXPECT_EQ(translated(pytorch(replica("Worker", 0, kContainer))).told(),
            "E1806 6:5 all roles of this job have `replicas: 0`\n");
}

TEST(RejectedValues, PatchOfAnUnknownReplicatedJob_NamesThoseOfTheRuntime) {
  const Translated job =
      translated(manifest("trainer.kubeflow.org/v1alpha1", "TrainJob",
                          "  runtimeRef: {name: torch-distributed}\n  trainer: {command: [python, t.py]}\n  "
                          "runtimePatches: [{manager: a/b, "
                          "trainingRuntimeSpec: {template: {spec: {replicatedJobs: [{name: nodex}]}}}}]\n"));
  ASSERT_EQ(job.problems.size(), 1u);
  EXPECT_EQ(job.problems[0].help, "it has node");
  EXPECT_EQ(job.problems[0].message, "the runtime has no replicated job `nodex`");
}

}  // namespace
}  // namespace muster
