// SPDX-License-Identifier: Apache-2.0
#include "backends/kubernetes/cluster/training_runtimes.h"

#include <gtest/gtest.h>

#include "backends/kubernetes/cluster/kubectl_run_test.h"
#include "core/job/file/kubeflow/manifest.h"

namespace muster {
namespace {

constexpr const char* kList =
    R"({"items": [
      {"kind": "ClusterTrainingRuntime", "metadata": {"name": "torch", "labels": {"trainer.kubeflow.org/framework": "torch"}}},
      {"kind": "TrainingRuntime", "metadata": {"name": "own", "namespace": "team"}}]})";

TEST(TrainingRuntimes, List_IsReadByName) {
  const auto read = read_training_runtimes(kList);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(*read, (std::vector<TrainingRuntimeFacts>{{"TrainingRuntime", "own", "team", ""},
                                                      {"ClusterTrainingRuntime", "torch", "", "torch"}}));
}

TEST(TrainingRuntimes, AnythingElse_IsAnError) {
  EXPECT_EQ(read_training_runtimes("oops").status().code(), Code::data_loss);
  EXPECT_TRUE(read_training_runtimes("{}")->empty());
}

TEST_F(KubectlRun, RuntimeOfCluster_IsAskedByKindAndName) {
  const KubectlAccess access = stand_in("echo \"$@\"");
  EXPECT_EQ(**training_runtime_text(access, std::string(kNamespacedRuntime), "own"),
            "--context=prod get trainingruntimes.trainer.kubeflow.org/own -o yaml --ignore-not-found\n");
  EXPECT_EQ(**training_runtime_text(access, std::string(kClusterRuntime), "torch"),
            "--context=prod get clustertrainingruntimes.trainer.kubeflow.org/torch -o yaml --ignore-not-found\n");
}

TEST_F(KubectlRun, RuntimeOfCluster_ThatDoesNotExist_IsNotFound) {
  const auto text = training_runtime_text(stand_in("exit 0"), "TrainingRuntime", "own");
  ASSERT_TRUE(text.ok());
  EXPECT_FALSE(text->has_value());
}

}  // namespace
}  // namespace muster
