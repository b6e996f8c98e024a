// SPDX-License-Identifier: Apache-2.0
// Values that Kubernetes accepts: fields without a value, octal numbers, True.
#include <gtest/gtest.h>

#include "core/job/file/kubeflow/translated_test.h"

namespace muster {
namespace {

TEST(TrainJob, NullsBelowTrainer_KeepWhatTheRuntimeHas) {
  const std::string runtime =
      "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: ClusterTrainingRuntime\nmetadata: {name: own}\nspec:\n  "
      "mlPolicy: {numNodes: 3, torch: {}, mpi: }\n  template: {spec: {replicatedJobs: [{name: node, template: {spec: "
      "{template: {spec: {containers: [{name: node, image: \"a:1\", command: [python, t.py], env: [{name: A, value: "
      "a}]}]}}}}}]}}\n---\n";
  const Translated job =
      in_cluster(runtime + manifest("trainer.kubeflow.org/v1alpha1", "TrainJob",
                                    "  runtimeRef: {name: own}\n  activeDeadlineSeconds:\n"
                                    "  trainer: {image: , command: , numNodes: , env: , numProcPerNode: ~}\n"));
  ASSERT_EQ(job.told(), "");
  EXPECT_EQ(job.spec.kubernetes.image, "a:1");
  EXPECT_EQ(job.group().command, (std::vector<std::string>{"python", "t.py"}));
  EXPECT_EQ(job.group().max_nodes, 3u);
  EXPECT_EQ(job.spec.env.at("A").literal, "a");
  EXPECT_EQ(job.spec.timeouts.run, Duration(0));
}

TEST(Variables, WithAValueAndNoSource_HaveTheValue) {
  const Translated job = translated(
      pytorch(replica("Worker", 1, "name: pytorch, command: [./x], env: [{name: A, value: \"1\", valueFrom: null}]")));
  ASSERT_EQ(job.told(), "");
  EXPECT_EQ(job.spec.env.at("A").literal, "1");
}

TEST(PodCluster, OctalModes_ArePassedOnAsNumbers) {
  const auto mode = [](const std::string& text) {
    const Translated job =
        in_cluster(pytorch(replica("Worker", 1,
                                   "name: pytorch, image: a, command: [./x], volumeMounts: [{name: k, mountPath: "
                                   "/k}]}], volumes: [{name: k, secret: {secretName: s, defaultMode: " +
                                       text + "}")));
    EXPECT_EQ(job.told(), "");
    const std::string& patch = job.spec.kubernetes.patch;
    const std::string key = "\"defaultMode\":";
    const size_t at = patch.find(key);
    return at == std::string::npos ? patch : patch.substr(at + key.size(), 4);
  };
  EXPECT_EQ(mode("0400"), "256}");
  EXPECT_EQ(mode("0o755"), "493}");
  EXPECT_EQ(mode("420"), "420}");
}

TEST(PyTorchJob, TruthWithACapital_IsAccepted) {
  const auto held = [](const std::string& suspend) {
    const Translated job = translated(
        pytorch(replica("Worker", 1, "name: pytorch, command: [./x]"), "  runPolicy: {suspend: " + suspend + "}\n"));
    EXPECT_EQ(job.told().substr(0, 5), suspend.starts_with('"') ? "E1802" : "");
    return job.spec.hold;
  };
  EXPECT_TRUE(held("True"));
  EXPECT_FALSE(held("FALSE"));
  EXPECT_FALSE(held("\"true\""));
}

TEST(PodMounts, VolumeWithoutASource_IsAnEmptyDir) {
  const Translated job = translated(
      manifest("batch/v1", "Job",
               "  template:\n    spec: {containers: [{name: a, image: i, command: [./x], volumeMounts: [{name: v, "
               "mountPath: /v}]}], volumes: [{name: v, emptyDir: }]}\n"),
      {.in_image = kImageOfManifest});
  ASSERT_EQ(job.told(), "");
  EXPECT_EQ(job.spec.in_image.mounts, (std::vector<std::string>{":/v"}));
}

TEST(ManifestValues, TruthsNumbersAndDates_AreThoseOfYaml11) {
  const auto with = [](const std::string& value) {
    return translated(
        manifest("batch/v1", "Job",
                 "  suspend: " + value + "\n  template: {spec: {containers: [{name: a, command: [./x]}]}}\n"));
  };
  EXPECT_TRUE(with("yes").spec.hold);
  EXPECT_FALSE(with("off").spec.hold);
  EXPECT_EQ(with("maybe").told().substr(0, 5), "E1802");
  const auto env = [](const std::string& value) {
    return translated(manifest(
        "batch/v1", "Job",
        "  template: {spec: {containers: [{name: a, command: [./x], env: [{name: A, value: " + value + "}]}]}}\n"));
  };
  for (const char* text : {"2024-01-01", "1.2.3", "a", "-", "e", "12a", "0b4f3a1", "0o9", "0x5aAe00000000000000001"})
    EXPECT_EQ(env(text).told(), "") << text;
  for (const char* other : {"yes", "Off", "8", "-1.5", "1e3", ".5", "0x1f", "0o7", "0b11"})
    EXPECT_EQ(env(other).told().substr(0, 5), "E1802") << other;
}

TEST(ManifestValues, TextInPlaceOfAListOfWords_IsAdvisedAsAList) {
  const Translated job = translated(
      manifest("batch/v1", "Job", "  template: {spec: {containers: [{name: a, command: torchrun t.py}]}}\n"));
  ASSERT_EQ(job.problems.size(), 1u);
  EXPECT_EQ(job.problems[0].help, "write a list of words: [torchrun, t.py]");
  const Translated quoted = translated(
      manifest("batch/v1", "Job", "  template: {spec: {containers: [{name: a, command: 'sh -c \"a b\"'}]}}\n"));
  EXPECT_EQ(quoted.problems.at(0).help, "write a list of words");
}

}  // namespace
}  // namespace muster
