// SPDX-License-Identifier: Apache-2.0
// Settings of the whole job: queues, names.
#include <gtest/gtest.h>

#include "core/job/file/kubeflow/translated_test.h"

namespace muster {
namespace {

TEST(JobSettings, LabelOfKueueInACluster_IsTheQueue) {
  std::string labelled = pytorch(replica("Worker", 1, "name: pytorch, image: a, command: [./x]"),
                                 "  runPolicy: {schedulingPolicy: {queue: other}}\n");
  labelled.replace(labelled.find("{name: mnist}"), 13, "{name: mnist, labels: {kueue.x-k8s.io/queue-name: team-a}}");
  const Translated job = in_cluster(labelled);
  ASSERT_EQ(job.told(), "");
  EXPECT_EQ(job.spec.kubernetes.queue, "team-a");
  EXPECT_EQ(translated(labelled).spec.kubernetes.queue, "");
}

TEST(TrainJob, WrongReferenceToARuntime_IsReportedOnHostsToo) {
  const auto told = [](const std::string& more) {
    return translated(manifest("trainer.kubeflow.org/v1alpha1", "TrainJob",
                               "  runtimeRef: {name: torch-distributed, " + more +
                                   "}\n  trainer: {command: [python, t.py]}\n"))
        .told()
        .substr(0, 5);
  };
  EXPECT_EQ(told("kind: TrainingRuntimes"), "E1802");
  EXPECT_EQ(told("apiGroup: foo.bar"), "E1802");
  EXPECT_EQ(told("apiGroup: trainer.kubeflow.org, kind: ClusterTrainingRuntime"), "");
}

TEST(PyTorchJob, TorchrunWithAPath_StartsThePythonBesideIt) {
  const auto python = [](const std::string& torchrun) {
    return translated(pytorch(replica("Worker", 1, "name: pytorch, command: [" + torchrun + ", t.py]")))
        .group()
        .command.front();
  };
  EXPECT_EQ(python("/opt/venv/bin/torchrun"), "/opt/venv/bin/python");
  EXPECT_EQ(python("./venv/bin/torchrun"), "./venv/bin/python");
  EXPECT_EQ(python("/usr/local/bin/torchrun"), "python");
  EXPECT_EQ(python("torchrun"), "python");
}

}  // namespace
}  // namespace muster
