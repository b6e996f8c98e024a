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

TEST(TrainJob, RequestsWithoutLimitsInACluster_AreNoLimits) {
  const Translated job = train_job("resources: {requests: {cpu: 100m, memory: 256Mi}}", "");
  ASSERT_EQ(job.told(), "");
  EXPECT_TRUE(job.group().kubernetes.resources.empty());
  const std::string& patch = job.spec.kubernetes.patch;
  EXPECT_NE(patch.find(R"("requests":{"cpu":"100m","memory":"256Mi"})"), std::string::npos) << patch;
  EXPECT_NE(patch.find(R"("limits":{"cpu":null})"), std::string::npos) << patch;
}

TEST(TrainJob, ResourceClaimsInACluster_ArePassedOn) {
  const Translated job =
      train_job("resources: {claims: [{name: g}]}", "resourceClaims: [{name: g, resourceClaimTemplateName: t}]");
  ASSERT_EQ(job.told(), "");
  const std::string& patch = job.spec.kubernetes.patch;
  EXPECT_NE(patch.find(R"("resources":{"claims":[{"name":"g"}]})"), std::string::npos) << patch;
  EXPECT_NE(patch.find(R"("resourceClaimTemplateName":"t")"), std::string::npos) << patch;
}

// Pods with these entries beside their container, and `more` in it.
std::string role(const std::string& name, const std::string& pod, const std::string& more = "") {
  return "    " + name + ": {template: {spec: {" + pod + "containers: [{name: pytorch, image: i, command: [./" + name +
         "]" + more + "}]}}}\n";
}

std::string patch_of(const std::string& group, const std::string& spec) {
  return R"({"name":")" + group + R"(","template":{"spec":{"template":{"spec":{)" + spec + "}}}}}";
}

TEST(ReplicaJob, PodsWithDifferentServiceAccounts_AreNotGivenOne) {
  const Translated job = in_cluster(
      pytorch(role("Master", "serviceAccountName: m, hostNetwork: true, ", ", imagePullPolicy: Always") +
              role("Worker", "serviceAccountName: w, runtimeClassName: r, imagePullSecrets: [{name: s}], ")));
  ASSERT_EQ(job.told(), "");
  EXPECT_EQ(job.spec.kubernetes.service_account, "");
  EXPECT_EQ(job.spec.kubernetes.runtime_class, "");
  EXPECT_FALSE(job.spec.kubernetes.host_network);
  EXPECT_EQ(job.spec.kubernetes.pull_policy, PullPolicy::usual);
  EXPECT_EQ(job.spec.kubernetes.pull_secrets, (std::vector<std::string>{"s"}));
  EXPECT_EQ(
      job.spec.kubernetes.patch,
      R"({"spec":{"replicatedJobs":[)" +
          patch_of("master", R"("serviceAccountName":"m","hostNetwork":true,"dnsPolicy":"ClusterFirstWithHostNet",)"
                             R"("containers":[{"name":"agent","imagePullPolicy":"Always"}])") +
          "," + patch_of("worker", R"("serviceAccountName":"w","runtimeClassName":"r")") + "]}}");
}

TEST(ReplicaJob, PodsWithTheSameSettings_GiveThemToTheJob) {
  const std::string pod = "serviceAccountName: m, hostIPC: true, ";
  const Translated job =
      in_cluster(pytorch(role("Master", pod, ", workingDir: /w") + role("Worker", pod, ", workingDir: /w")));
  ASSERT_EQ(job.told(), "");
  EXPECT_EQ(job.spec.kubernetes.service_account, "m");
  EXPECT_TRUE(job.spec.kubernetes.host_ipc);
  EXPECT_EQ(job.spec.workdir, "/w");
  EXPECT_EQ(job.spec.kubernetes.patch, "");
}

TEST(ReplicaJob, PodsWithDifferentSharedMemory_HaveTheirOwn) {
  const auto memory = [](const std::string& size) {
    return std::pair("volumes: [{name: m, emptyDir: {medium: Memory, sizeLimit: " + size + "}}], ",
                     ", volumeMounts: [{name: m, mountPath: /dev/shm}]");
  };
  const auto [pod, mount] = memory("8Gi");
  const Translated one = in_cluster(pytorch(role("Master", "") + role("Worker", pod, mount)));
  ASSERT_EQ(one.told(), "");
  EXPECT_EQ(one.spec.kubernetes.shm_bytes, 0u);
  EXPECT_EQ(one.spec.kubernetes.patch,
            R"({"spec":{"replicatedJobs":[)" +
                patch_of("worker",
                         R"("volumes":[{"name":"dshm","emptyDir":{"medium":"Memory","sizeLimit":"8Gi"}}],)"
                         R"("containers":[{"name":"agent","volumeMounts":[{"name":"dshm","mountPath":"/dev/shm"}]}])") +
                "]}}");
  const Translated both = in_cluster(pytorch(role("Master", pod, mount) + role("Worker", pod, mount)));
  EXPECT_EQ(both.spec.kubernetes.shm_bytes, uint64_t{8} << 30);
}

TEST(ReplicaJob, PodsWithDifferentFolders_AreRefused) {
  EXPECT_EQ(in_cluster(pytorch(role("Master", "", ", workingDir: /m") + role("Worker", ""))).told().substr(0, 5),
            "E1803");
  EXPECT_EQ(in_cluster(pytorch(role("Worker", "", ", workingDir: /m"))).spec.workdir, "/m");
}

TEST(MpiJob, FolderOfTheLauncher_IsThatOfTheJob) {
  const auto folder = [](const std::string& command) {
    const std::string pods = replica("Launcher", 1, "name: l, image: i, workingDir: /l, command: " + command) +
                             replica("Worker", 2, "name: w, image: i, workingDir: /w");
    const Translated job = in_cluster(manifest("kubeflow.org/v2beta1", "MPIJob", "  mpiReplicaSpecs:\n" + pods));
    EXPECT_EQ(job.told(), "");
    return job.spec.workdir;
  };
  EXPECT_EQ(folder("[mpirun, ./x]"), "/l");
  EXPECT_EQ(folder("[mpirun, --wdir, /d, ./x]"), "/d");
  EXPECT_EQ(folder("[./script]"), "/l");
}

TEST(MpiJob, SettingsOfTheLauncherOnly_AreNoted) {
  const Translated job = in_cluster(
      manifest("kubeflow.org/v2beta1", "MPIJob",
               "  mpiReplicaSpecs:\n    Launcher: {template: {spec: {serviceAccountName: a, containers: [{name: l, "
               "image: i, command: [mpirun, ./x]}]}}}\n" +
                   replica("Worker", 2, "name: w, image: i")));
  ASSERT_EQ(job.told(), "");
  EXPECT_EQ(job.spec.kubernetes.service_account, "");
  ASSERT_EQ(job.notes.size(), 1u);
  EXPECT_NE(job.notes[0].find("settings of the launcher's pod are not used"), std::string::npos) << job.notes[0];
}

}  // namespace
}  // namespace muster
