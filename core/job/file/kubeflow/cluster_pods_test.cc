// SPDX-License-Identifier: Apache-2.0
// Settings of pods that only a cluster has.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/job/file/kubeflow/translated_test.h"

namespace muster {
namespace {

// A TrainJob in a cluster. `container`, `pod`: entries of flow maps of its runtime. `patch`: the same of a container that
// a runtimePatch lays over.
Translated train_job(const std::string& container, const std::string& pod, const std::string& patch = "") {
  const auto jobs = [](const std::string& words, const std::string& of_pod) {
    return "{template: {spec: {replicatedJobs: [{name: node, template: {spec: {template: {spec: {containers: [{name: "
           "node, " +
           words + "}]" + of_pod + "}}}}}]}}}";
  };
  const std::string runtime =
      "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainingRuntime\nmetadata: {name: own}\n"
      "spec: " +
      jobs("image: a, command: [torchrun, t.py], " + container, ", " + pod) + "\n---\n";
  const std::string patches =
      patch.empty() ? "" : "  runtimePatches: [{manager: a.example/b, trainingRuntimeSpec: " + jobs(patch, "") + "}]\n";
  return in_cluster(runtime + manifest("trainer.kubeflow.org/v1alpha1", "TrainJob",
                                       "  runtimeRef: {name: own, kind: TrainingRuntime}\n" + patches));
}

// The mounts in the patch of the job's JobSet.
std::string mounts_in(const Translated& job) {
  const std::string& patch = job.spec.kubernetes.patch;
  const size_t begin = std::min(patch.find("\"volumeMounts\":"), patch.size());
  return job.told() + patch.substr(begin, patch.find(']', begin) - begin);
}

TEST(TrainJob, OneVolumeAtTwoPathsInACluster_HasBothMounts) {
  EXPECT_EQ(mounts_in(train_job("volumeMounts: [{name: d, mountPath: /d, subPath: s}, {name: d, mountPath: /m}]",
                                "volumes: [{name: d, persistentVolumeClaim: {claimName: c}}]")),
            R"("volumeMounts":[{"name":"d","mountPath":"/d","subPath":"s"},{"name":"d","mountPath":"/m"})");
}

TEST(TrainJob, PatchWithAnotherMountOfAVolume_KeepsTheFirst) {
  EXPECT_EQ(mounts_in(train_job("volumeMounts: [{name: d, mountPath: /d}, {name: e, mountPath: /e}]",
                                "volumes: [{name: d, emptyDir: {}}, {name: e, emptyDir: {}}]",
                                "volumeMounts: [{name: d, mountPath: /m}, {name: e, mountPath: /e, readOnly: true}]")),
            R"("volumeMounts":[{"name":"d","mountPath":"/d"},{"name":"e","mountPath":"/e","readOnly":true},)"
            R"({"name":"d","mountPath":"/m"})");
}

TEST(TrainJob, GpusOfAnotherVendorInACluster_AreAskedForOnce) {
  const auto with = [](const std::string& limits) { return train_job("resources: {limits: {" + limits + "}}", ""); };
  const Translated amd = with("amd.com/gpu: 2, cpu: 1");
  ASSERT_EQ(amd.told(), "");
  EXPECT_EQ(amd.spec.kubernetes.gpu_resource, "amd.com/gpu");
  EXPECT_EQ(amd.group().kubernetes.resources.at("amd.com/gpu"), "2");
  EXPECT_EQ(with("nvidia.com/mig-1g.5gb: 1").spec.kubernetes.gpu_resource, "nvidia.com/mig-1g.5gb");
  EXPECT_EQ(with("nvidia.com/gpu: 0, amd.com/gpu: 1").spec.kubernetes.gpu_resource, "amd.com/gpu");
  EXPECT_EQ(with("nvidia.com/gpu: 1, amd.com/gpu: 1").told().substr(0, 5), "E1803");
}

TEST(TrainJob, MpiWithGpusOfAnotherVendorInACluster_NamesThem) {
  const Translated job =
      in_cluster(manifest("trainer.kubeflow.org/v1alpha1", "TrainJob",
                          "  runtimeRef: {name: deepspeed-distributed}\n  trainer: {image: a, command: [mpirun, ./x], "
                          "resourcesPerNode: {limits: {amd.com/gpu: 2}}}\n"));
  ASSERT_EQ(job.told(), "");
  EXPECT_EQ(job.spec.kubernetes.gpu_resource, "amd.com/gpu");
}

TEST(TrainJob, ResourceClaimsInACluster_ArePassedOn) {
  const Translated job =
      train_job("resources: {claims: [{name: g}]}", "resourceClaims: [{name: g, resourceClaimTemplateName: t}]");
  ASSERT_EQ(job.told(), "");
  const std::string& patch = job.spec.kubernetes.patch;
  EXPECT_NE(patch.find(R"("resources":{"claims":[{"name":"g"}]})"), std::string::npos) << patch;
  EXPECT_NE(patch.find(R"("resourceClaimTemplateName":"t")"), std::string::npos) << patch;
}

}  // namespace
}  // namespace muster
