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

TEST(MpiJob, CommandAndVariablesOfTheWorkers_AreNotedOrReplaced) {
  const auto read = [](const std::string& command) {
    return translated(
        manifest("kubeflow.org/v2beta1", "MPIJob",
                 "  mpiReplicaSpecs:\n" +
                     replica("Launcher", 1,
                             "name: l, command: [mpirun, -n, \"2\", ./pi], env: [{name: NODE, valueFrom: {fieldRef: "
                             "{fieldPath: spec.nodeName}}}]") +
                     replica("Worker", 2, "name: w, command: [" + command + "], env: [{name: NODE, value: worker}]")));
  };
  const Translated job = read("sh, -c, \"./download.sh && /usr/sbin/sshd -De\"");
  ASSERT_EQ(job.told(), "");
  EXPECT_EQ(job.spec.custom.at("NODE"), "${host}");
  EXPECT_FALSE(job.spec.env.contains("NODE"));
  EXPECT_EQ(job.notes.size(), 1u);
  EXPECT_EQ(read("/usr/sbin/sshd, -De").notes.size(), 0u);
}

TEST(SchedulingPolicy, BesideTheLabelOfKueueAndAPriorityOfThePod_IsNoted) {
  std::string text = pytorch(replica("Worker", 1,
                                     "name: pytorch, image: a, command: [./x]}], priorityClassName: high, "
                                     "tolerations: [{operator: Exists"),
                             "  runPolicy: {schedulingPolicy: {queue: vq, priorityClass: low}}\n");
  text.replace(text.find("{name: mnist}"), 13, "{name: mnist, labels: {kueue.x-k8s.io/queue-name: q}}");
  const Translated job = in_cluster(text);
  ASSERT_EQ(job.told(), "");
  EXPECT_EQ(job.spec.kubernetes.queue, "q");
  EXPECT_EQ(job.spec.kubernetes.priority_class, "high");
  ASSERT_EQ(job.notes.size(), 2u);
  EXPECT_NE(job.notes[0].find("`schedulingPolicy.queue: vq` has no effect"), std::string::npos) << job.notes[0];
  EXPECT_NE(job.notes[1].find("`schedulingPolicy.priorityClass: low` has no effect on pods"), std::string::npos);
  EXPECT_TRUE(in_cluster(pytorch(replica("Worker", 1, "name: pytorch, image: a, command: [./x]"),
                                 "  runPolicy: {schedulingPolicy: {queue: vq, priorityClass: low}}\n"))
                  .notes.empty());
}

}  // namespace
}  // namespace muster
