// SPDX-License-Identifier: Apache-2.0
// Names and indexes of pods in variables of the ranks.
#include <gtest/gtest.h>

#include "core/base/text.h"
#include "core/job/file/kubeflow/translated_test.h"

namespace muster {
namespace {

std::string field(const std::string& name, const std::string& path) {
  return "{name: " + name + ", valueFrom: {fieldRef: {fieldPath: \"" + path + "\"}}}";
}

const std::string kName = field("POD", "metadata.name");
const std::string kJobSetLabel = "metadata.labels['jobset.sigs.k8s.io/";
const std::string kIndexes =
    field("JOB", kJobSetLabel + "job-index']") + ", " + field("GLOBAL", kJobSetLabel + "job-global-index']");

// A replicated job: `jobs` Jobs with `pods` pods.
std::string replicated(const std::string& name, int jobs, int pods, const std::string& env,
                       const std::string& command = "[./x]") {
  const std::string count = std::to_string(pods);
  return "    - {name: " + name + ", replicas: " + std::to_string(jobs) + ", template: {spec: {parallelism: " + count +
         ", completions: " + count + ", template: {spec: {containers: [{name: x, command: " + command + ", env: [" +
         env + "]}]}}}}}\n";
}

Translated job_set(const std::string& jobs) {
  return translated(manifest("jobset.x-k8s.io/v1alpha2", "JobSet", "  replicatedJobs:\n" + jobs));
}

// The value for ranks of the group: a text, or a template.
std::string value_of(const Translated& job, size_t group, const std::string& name) {
  EXPECT_EQ(job.told(), "");
  if (job.spec.groups.size() <= group) return "no group";
  if (const auto own = job.group(group).env.find(name); own != job.group(group).env.end()) return own->second.literal;
  if (const auto all = job.spec.env.find(name); all != job.spec.env.end()) return all->second.literal;
  const auto found = job.spec.custom.find(name);
  return found == job.spec.custom.end() ? "not set" : found->second;
}

TEST(PodName, OfAPyTorchJob_CountsThePodsOfEachRole) {
  const std::string container = "name: pytorch, command: [python, t.py], env: [" + kName + "]";
  const std::string groups = replica("Master", 1, container) + replica("Worker", 2, container);
  const Translated job = translated(pytorch(groups, "  nprocPerNode: \"2\"\n"));
  ASSERT_EQ(job.told(), "");
  ASSERT_EQ(job.spec.groups.size(), 2u);
  EXPECT_EQ(job.group(0).name, "master");
  EXPECT_EQ(value_of(job, 0, "POD"), "${job}-${group}-${group_node}");
  const Translated elastic = translated(pytorch(groups, "  elasticPolicy: {minReplicas: 1, maxReplicas: 3}\n"));
  EXPECT_EQ(elastic.told(), "");
  EXPECT_EQ(elastic.spec.groups.size(), 1u);
}

TEST(PodName, OfAJobSet_HasTheIndexesOfJobAndPod) {
  const std::string pods = "${job}-${group}-0-${group_node}";
  EXPECT_EQ(value_of(job_set(replicated("a", 1, 1, "") + replicated("b", 1, 2, kName)), 1, "POD"), pods);
  EXPECT_EQ(value_of(job_set(replicated("a", 2, 1, kName)), 0, "POD"), "${job}-${group}-${group_node}-0");
  const Translated both = job_set(replicated("a", 2, 2, kName));
  EXPECT_EQ(value_of(both, 0, "POD"), "${job}-${group}-${group_node/2}-${group_node%2}");
}

TEST(PodName, InGroupsOfDifferentShapes_HasOneTemplate) {
  const auto pods = [](int jobs_of_b, int pods_of_b) {
    return value_of(job_set(replicated("a", 1, 1, kName) + replicated("b", jobs_of_b, pods_of_b, kName)), 0, "POD");
  };
  EXPECT_EQ(pods(1, 2), "${job}-${group}-0-${group_node}");
  EXPECT_EQ(pods(2, 1), "${job}-${group}-${group_node}-0");
  EXPECT_EQ(pods(2, 2), "${job}-${group}-${group_node/2}-${group_node%2}");
  const Translated differ = job_set(replicated("a", 1, 3, kName) + replicated("b", 2, 2, kName));
  EXPECT_EQ(value_of(differ, 0, "POD"), "${job}-${group}-${group_node}");
  EXPECT_NE(join(differ.notes, "\n").find("`metadata.name` is NAME-GROUP-INDEX here"), std::string::npos);
}

TEST(PodName, OfAJobAndATrainJob_IsAsInTheCluster) {
  const std::string container = "{containers: [{name: node, command: [./x], env: [" + kName + "]}]}";
  const Translated job = translated(manifest("batch/v1", "Job", "  template: {spec: " + container + "}\n"));
  EXPECT_EQ(value_of(job, 0, "POD"), "${job}-${group_node}");
  const Translated train_job = translated(manifest(
      "trainer.kubeflow.org/v1alpha1", "TrainJob",
      "  runtimeRef: {name: torch-distributed}\n  trainer: {command: [torchrun, t.py], env: [" + kName + "]}\n"));
  EXPECT_EQ(value_of(train_job, 0, "POD"), "${job}-node-0-${group_node}");
}

TEST(JobSetIndexes, OfSeveralGroups_AreThoseOfTheCluster) {
  const std::string env = kIndexes;
  const Translated job = job_set(replicated("a", 2, 1, env) + replicated("b", 3, 1, env) + replicated("c", 1, 2, env) +
                                 replicated("d", 1, 1, env));
  for (const size_t group : {0, 1}) {
    EXPECT_EQ(value_of(job, group, "JOB"), "${group_node}");
    EXPECT_EQ(value_of(job, group, "GLOBAL"), "${node}");
    EXPECT_EQ(value_of(job, group, "JOB_COMPLETION_INDEX"), "0");
  }
  EXPECT_EQ(value_of(job, 2, "JOB"), "0");
  EXPECT_EQ(value_of(job, 2, "GLOBAL"), "5");
  EXPECT_EQ(value_of(job, 2, "JOB_COMPLETION_INDEX"), "${group_node}");
  EXPECT_EQ(value_of(job, 3, "GLOBAL"), "6");
  EXPECT_EQ(value_of(job, 3, "JOB_COMPLETION_INDEX"), "${group_node}");
}

TEST(JobSetIndexes, GlobalAfterAJobOfSeveralPods_IsRefused) {
  const Translated job = job_set(replicated("a", 1, 2, "") + replicated("b", 3, 1, kIndexes));
  EXPECT_NE(job.told().find("`GLOBAL` counts the Jobs of all groups"), std::string::npos) << job.told();
}

TEST(JobSetIndexes, OfSeveralJobsWithSeveralPods_AreThoseOfTheCluster) {
  const std::string index = field("INDEX", "metadata.annotations['batch.kubernetes.io/job-completion-index']");
  const Translated job = job_set(replicated("a", 2, 3, kIndexes + ", " + index) + replicated("b", 1, 1, kIndexes));
  EXPECT_EQ(value_of(job, 0, "JOB"), "${group_node/3}");
  EXPECT_EQ(value_of(job, 0, "GLOBAL"), "${group_node/3}");
  EXPECT_EQ(value_of(job, 0, "INDEX"), "${group_node%3}");
  for (const size_t group : {0, 1}) EXPECT_EQ(value_of(job, group, "JOB_COMPLETION_INDEX"), "${group_node%3}");
  EXPECT_EQ(value_of(job, 1, "GLOBAL"), "2");
  EXPECT_EQ(job.notes, std::vector<std::string>{});
}

TEST(JobSetIndexes, OfGroupsThatDifferTooMuch_AreNotedOrRefused) {
  const Translated job = job_set(replicated("a", 2, 2, "") + replicated("b", 1, 3, ""));
  EXPECT_EQ(value_of(job, 0, "JOB_COMPLETION_INDEX"), "${group_node}");
  EXPECT_NE(join(job.notes, "\n").find("`JOB_COMPLETION_INDEX` counts the pods of all Jobs of `a`"), std::string::npos);
  const Translated read = job_set(replicated("a", 2, 2, kIndexes) + replicated("b", 1, 3, ""));
  EXPECT_NE(read.told().find("is an index in a group of several Jobs"), std::string::npos) << read.told();
}

TEST(JobSetIndexes, UnderTorchrun_AreThoseOfTheCluster) {
  const std::string torchrun = "[torchrun, --nnodes=3, --nproc-per-node=2, t.py, $(JOB_COMPLETION_INDEX)]";
  const Translated job = job_set(replicated("a", 1, 1, kIndexes, torchrun) + replicated("b", 2, 1, kIndexes, torchrun));
  ASSERT_EQ(job.told(), "");
  EXPECT_EQ(job.spec.framework, Framework::torch);
  EXPECT_EQ(value_of(job, 1, "JOB"), "${group_node}");
  EXPECT_EQ(value_of(job, 1, "GLOBAL"), "${node}");
  EXPECT_EQ(value_of(job, 1, "JOB_COMPLETION_INDEX"), "0");
  EXPECT_EQ(value_of(job, 0, "JOB"), "0");
}

}  // namespace
}  // namespace muster
