// SPDX-License-Identifier: Apache-2.0
// Runtimes of a cluster, by a stand-in for it.
#include <gtest/gtest.h>

#include "core/base/text.h"
#include "core/job/errors/explain.h"
#include "core/job/file/kubeflow/translated_test.h"

namespace muster {
namespace {

// As the API server returns it: with metadata and defaults of its own.
constexpr const char* kRuntime = R"(apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata:
  creationTimestamp: "2026-11-27T06:00:00Z"
  generation: 1
  labels: {trainer.kubeflow.org/framework: torch}
  name: torch-distributed
  resourceVersion: "211"
  uid: 0f8fad5b-d9cb-469f-a165-70867728950e
spec:
  mlPolicy: {numNodes: 3, torch: {}}
  template:
    spec:
      replicatedJobs:
      - groupName: default
        name: node
        replicas: 1
        template:
          metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
          spec:
            template:
              spec:
                containers:
                - image: registry.example/of-cluster:1
                  name: node
                  resources: {}
)";

struct Asked {
  std::vector<std::string> references;
  FoundRuntime found;
};

Translated translated_with(Asked& asked, const std::string& spec, const std::string& metadata = "{name: mnist}") {
  const auto lookup = [&](const RuntimeReference& wanted) -> Result<FoundRuntime> {
    asked.references.push_back(wanted.kind + " " + wanted.name + " " + wanted.name_space);
    return asked.found;
  };
  return translated("apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: " + metadata + "\nspec:\n" +
                        spec + "  trainer: {command: [python, train.py]}\n",
                    {.target = ManifestTarget::cluster, .cluster_runtimes = lookup});
}

TEST(ClusterRuntime, ThatIsFound_TakesThePlaceOfTheBuiltInOne) {
  Asked asked{.found = {.source = SourceText{"ClusterTrainingRuntime torch-distributed of the cluster", kRuntime}}};
  const Translated job = translated_with(asked, "  runtimeRef: {name: torch-distributed}\n");
  ASSERT_EQ(job.told(), "");
  EXPECT_TRUE(job.notes.empty()) << join(job.notes, "\n");
  EXPECT_EQ(job.group().max_nodes, 3u);
  EXPECT_EQ(job.spec.kubernetes.image, "registry.example/of-cluster:1");
  EXPECT_EQ(asked.references, std::vector<std::string>{"ClusterTrainingRuntime torch-distributed "});
}

TEST(ClusterRuntime, OfANamespace_IsAskedByItsKindAndTheNamespaceOfTheJob) {
  Asked asked{.found = {.source = SourceText{"TrainingRuntime own of the cluster", kRuntime}}};
  EXPECT_EQ(
      translated_with(asked, "  runtimeRef: {name: own, kind: TrainingRuntime}\n", "{name: mnist, namespace: team}")
          .told(),
      "");
  EXPECT_EQ(asked.references, std::vector<std::string>{"TrainingRuntime own team"});
}

TEST(ClusterRuntime, ThatDoesNotExist_IsReportedWithTheNearestName) {
  Asked asked{.found = {.names = {"jax-distributed", "torch-distributed"}}};
  const Translated job = translated_with(asked, "  runtimeRef: {name: torch-distribted}\n");
  EXPECT_EQ(job.told(),
            "E1805 5:22 the cluster has no ClusterTrainingRuntime `torch-distribted` (did you mean "
            "`torch-distributed`?)\n");
  EXPECT_EQ(job.problems.front().help,
            "it has jax-distributed, torch-distributed; muster runtimes --cluster-runtimes lists all");
}

TEST(ClusterRuntime, OfTheOtherKind_IsNamed) {
  Asked asked{.found = {.other_kind = "TrainingRuntime", .name_space = "team"}};
  const Translated job = translated_with(asked, "  runtimeRef: {name: own}\n");
  EXPECT_EQ(job.told(), "E1805 5:22 the cluster has no ClusterTrainingRuntime `own`\n");
  EXPECT_EQ(
      job.problems.front().help,
      "there is a TrainingRuntime of this name in the namespace `team`; write it as runtimeRef.kind; muster runtimes "
      "--cluster-runtimes --namespace team lists all");
}

TEST(ClusterRuntime, UnknownKind_IsReported) {
  Asked asked;
  EXPECT_EQ(translated_with(asked, "  runtimeRef: {name: own, kind: Runtime}\n").told(),
            "E1802 5:33 `Runtime` is no kind of runtime\n");
}

Translated translated_without_answer(const Status& why) {
  const auto silent = [&](const RuntimeReference&) -> Result<FoundRuntime> { return why; };
  return translated(manifest("trainer.kubeflow.org/v1alpha1", "TrainJob", "  runtimeRef: {name: own}\n"),
                    {.target = ManifestTarget::cluster, .cluster_runtimes = silent});
}

TEST(ClusterRuntime, ClusterThatDoesNotAnswer_HasTheCodeAndTheFixOfItsCause) {
  const Translated job = translated_without_answer(
      explained(Code::unavailable, "the API server does not answer: i/o timeout; check the network", "E1653"));
  EXPECT_EQ(job.told(),
            "E1653 5:22 cannot ask the cluster for the runtime `own`: the API server does not answer: i/o timeout\n");
  EXPECT_EQ(job.problems.front().help, "check the network");
}

TEST(ClusterRuntime, FailureWithoutACode_IsReportedAsItIs) {
  const Translated job = translated_without_answer({Code::unknown, "kubectl exited with code 1: a; b"});
  EXPECT_EQ(job.told(), "E1805 5:22 cannot ask the cluster for the runtime `own`: kubectl exited with code 1: a; b\n");
  EXPECT_EQ(job.problems.front().help, "");
}

TEST(ClusterRuntime, OfANamespace_ThatDoesNotExist_IsReportedWithTheNamespace) {
  const std::string own = "  runtimeRef: {name: own, kind: TrainingRuntime}\n";
  Asked asked{.found = {.context = "lab", .name_space = "team"}};
  const Translated job = translated_with(asked, own);
  EXPECT_EQ(job.told(), "E1805 5:22 the cluster has no TrainingRuntime `own` in the namespace `team`\n");
  EXPECT_EQ(job.problems.front().help,
            "it has none of this kind; muster runtimes --cluster-runtimes --context lab --namespace team lists all");
  Asked usual;
  EXPECT_EQ(translated_with(usual, own).told(),
            "E1805 5:22 the cluster has no TrainingRuntime `own` in the namespace of kubectl's context\n");
}

TEST(ClusterRuntime, MistakeInIt_HasItsLineThere) {
  std::string wrong = kRuntime;
  wrong.replace(wrong.find("torch: {}"), 9, "flux: {numProcPerNode: 2}");
  Asked asked{.found = {.source = SourceText{"ClusterTrainingRuntime own of the cluster", wrong}}};
  const Translated job = translated_with(asked, "  runtimeRef: {name: own}\n");
  ASSERT_EQ(job.problems.size(), 1u) << job.told();
  EXPECT_EQ(job.problems.front().code, "E1803");
  EXPECT_EQ(job.problems.front().where.file, "ClusterTrainingRuntime own of the cluster");
  EXPECT_EQ(job.problems.front().where.line, 11u);
}

TEST(ClusterRuntime, Initializer_IsRefusedInAClusterTooWithAWayAround) {
  const std::string spec =
      "  runtimeRef: {name: torch-distributed}\n  trainer: {command: [python, train.py]}\n  initializer: {dataset: "
      "{storageUri: \"hf://a/b\"}}\n";
  const Translated job = in_cluster(manifest("trainer.kubeflow.org/v1alpha1", "TrainJob", spec));
  ASSERT_EQ(job.problems.size(), 1u) << job.told();
  EXPECT_EQ(job.told(), "E1803 7:17 muster does not support `spec.initializer.dataset`\n");
  EXPECT_NE(job.problems.front().help.find("in a cluster, with an init container of the runtime"), std::string::npos);
}

}  // namespace
}  // namespace muster
