// SPDX-License-Identifier: Apache-2.0
// Mistakes of Kubeflow Trainer that muster does not have. Others are in train_job_test.cc: variables without
// `spec.trainer`, processes by the resources that the node really gets, refused initializers.
#include <gtest/gtest.h>

#include "core/job/failure_rule.h"
#include "core/job/file/kubeflow/translated_test.h"

namespace muster {
namespace {

std::string trainer_job(const std::string& spec) { return manifest("trainer.kubeflow.org/v1alpha1", "TrainJob", spec); }

// A runtime whose containers have this command.
std::string runtime_object(const std::string& kind, const std::string& policy, const std::string& jobs) {
  return "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: " + kind +
         "\nmetadata: {name: own}\nspec:\n  mlPolicy: " + policy + "\n  template: {spec: {replicatedJobs: [" + jobs +
         "]}}\n---\n";
}

std::string runtime_job(const std::string& name, const std::string& container, bool trains = true) {
  const std::string label =
      trains ? "metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}, " : "";
  return "{name: " + name + ", template: {" + label + "spec: {template: {spec: {containers: [{name: node, " +
         container + "}]}}}}}";
}

std::string mpi_runtime(const std::string& policy, uint32_t nodes) {
  return runtime_object(
      "ClusterTrainingRuntime", "{numNodes: " + std::to_string(nodes) + ", mpi: {" + policy + "}}",
      runtime_job("launcher", "command: [mpirun, ./x]") + ", " + runtime_job("node", "image: a", false));
}

TEST(Upstream, MigSlicesAndGpusOfOtherVendors_AreCountedAsGpus) {
  for (const char* resource : {"nvidia.com/gpu", "nvidia.com/mig-1g.5gb", "amd.com/gpu", "gpu.intel.com/i915"}) {
    const Translated job = translated(
        trainer_job("  runtimeRef: {name: torch-distributed}\n  trainer: {command: [torchrun, t.py], resourcesPerNode: "
                    "{limits: {" +
                    std::string(resource) + ": 2}}}\n"));
    ASSERT_EQ(job.told(), "");
    EXPECT_EQ(job.group().workers.count, 2u) << resource;
    EXPECT_EQ(job.group().worker.gpus.count, 1u) << resource;
  }
}

TEST(Upstream, NodesOfAnMpiRuntime_AreThoseOfItsRanks) {
  const Translated job = translated(mpi_runtime("numProcPerNode: 2", 3) + trainer_job("  runtimeRef: {name: own}\n"));
  ASSERT_EQ(job.told(), "");
  EXPECT_EQ(job.group().max_nodes, 3u);
  EXPECT_EQ(job.group().workers.count, 2u);
}

TEST(Upstream, MpiRuntimeWithOneProcessAndGpus_HasOnePerGpu) {
  const auto processes = [](const std::string& of_runtime, const std::string& trainer) {
    const Translated job =
        translated(mpi_runtime("numProcPerNode: " + of_runtime + ", runLauncherAsNode: true", 2) +
                   trainer_job("  runtimeRef: {name: own}\n  trainer: {numNodes: 2, resourcesPerNode: {limits: {" +
                               trainer + "}\n"));
    EXPECT_EQ(job.told(), "");
    return job.group().workers.count;
  };
  EXPECT_EQ(processes("1", "nvidia.com/gpu: 4}}"), 4u);
  EXPECT_EQ(processes("1", "nvidia.com/gpu: 1}}"), 1u);
  EXPECT_EQ(processes("2", "nvidia.com/gpu: 4}}"), 2u);
  EXPECT_EQ(processes("1", "cpu: 4}}"), 1u);
  EXPECT_EQ(processes("1", "nvidia.com/gpu: 4}}, numProcPerNode: 1"), 1u);
}

TEST(Upstream, OneNodeWithTheLauncherAsANode_IsOneNode) {
  const Translated job = translated(mpi_runtime("runLauncherAsNode: true", 1) +
                                    trainer_job("  runtimeRef: {name: own}\n  trainer: {numNodes: 1}\n"));
  ASSERT_EQ(job.told(), "");
  EXPECT_EQ(job.group().max_nodes, 1u);
}

TEST(Upstream, RuntimeOfIntelMpiOrMpich_IsRead) {
  for (const char* library : {"OpenMPI", "Intel", "MPICH"})
    EXPECT_EQ(translated(mpi_runtime("mpiImplementation: " + std::string(library), 2) +
                         trainer_job("  runtimeRef: {name: own}\n"))
                  .told(),
              "")
        << library;
}

TEST(Upstream, XgboostWithGpus_HasOneProcessPerGpu) {
  const Translated job = translated(
      trainer_job("  runtimeRef: {name: xgboost-distributed}\n  trainer: {numNodes: 2, command: [python, t.py], "
                  "resourcesPerNode: {limits: {nvidia.com/gpu: 4}}}\n"));
  ASSERT_EQ(job.told(), "");
  EXPECT_EQ(job.spec.framework, Framework::xgboost);
  EXPECT_EQ(job.spec.store, StoreHost::program) << "rank 0 starts the tracker itself";
  EXPECT_EQ(job.group().workers.count, 4u);
  EXPECT_EQ(job.group().worker.gpus.count, 1u);
}

TEST(Upstream, FailureRulesOfARuntime_AreAboutItsTraining) {
  std::string own =
      runtime_object("ClusterTrainingRuntime", "{torch: {}}",
                     runtime_job("trainer", "command: [./x]") + ", " + runtime_job("side", "command: [./y]", false));
  own.replace(own.find("{replicatedJobs"), 1,
              "{failurePolicy: {maxRestarts: 2, rules: [{action: FailJobSet, targetReplicatedJobs: [trainer]}]}, ");
  const Translated job = translated(own + trainer_job("  runtimeRef: {name: own}\n"));
  ASSERT_EQ(job.told(), "");
  ASSERT_EQ(job.spec.restarts.never_on.size(), 1u);
  EXPECT_EQ(to_string(job.spec.restarts.never_on[0]), "group node");
}

TEST(Upstream, FirstPodOfARuntimeWithASubdomain_IsTheFirstRank) {
  std::string own = runtime_object("ClusterTrainingRuntime", "{torch: {}}", runtime_job("node", "command: [./x]"));
  own.replace(own.find("{replicatedJobs"), 1, "{network: {subdomain: pods}, ");
  const Translated job = translated(
      own +
      trainer_job("  runtimeRef: {name: own}\n  trainer: {env: [{name: A, value: \"mnist-node-0-0.pods:1\"}]}\n"));
  ASSERT_EQ(job.told(), "");
  EXPECT_EQ(job.spec.custom.at("A"), "${master_address}:1");
}

TEST(Upstream, TwoRuntimesOfOneName_AreToldApartByTheirKind) {
  const std::string both =
      runtime_object("TrainingRuntime", "{numNodes: 2}", runtime_job("node", "command: [./of-namespace]")) +
      runtime_object("ClusterTrainingRuntime", "{numNodes: 3}", runtime_job("node", "command: [./of-cluster]"));
  const auto nodes = [&](const std::string& kind) {
    const Translated job = translated(both + trainer_job("  runtimeRef: {name: own" + kind + "}\n"));
    EXPECT_EQ(job.told(), "");
    return job.group().max_nodes;
  };
  EXPECT_EQ(nodes(", kind: TrainingRuntime"), 2u);
  EXPECT_EQ(nodes(", kind: ClusterTrainingRuntime"), 3u);
  EXPECT_EQ(nodes(""), 3u);
}

}  // namespace
}  // namespace muster
