// SPDX-License-Identifier: Apache-2.0
// Resources of pods as those of ranks.
#include <gtest/gtest.h>

#include "core/base/text.h"
#include "core/job/file/kubeflow/translated_test.h"

namespace muster {
namespace {

std::string limited(const std::string& limits, const std::string& more = "") {
  return pytorch(
      replica("Worker", 1, "name: pytorch, image: a, command: [python, t.py], resources: {limits: {" + limits + "}}"),
      more);
}

TEST(PodGroup, FewerGpusThanProcesses_IsRefusedEverywhere) {
  const std::string text = limited("nvidia.com/gpu: 1", "  nprocPerNode: \"4\"\n");
  const std::string said =
      "E1806 5:17 a node has 1 GPU for 4 processes, and muster gives each process GPUs of its own\n";
  EXPECT_EQ(translated(text).told(), said);
  EXPECT_EQ(in_cluster(text).told(), said);
  EXPECT_EQ(translated(limited("nvidia.com/gpu: 3", "  nprocPerNode: \"2\"\n")).told().substr(0, 5), "E1806");
  const Translated even = translated(limited("nvidia.com/gpu: 4", "  nprocPerNode: \"2\"\n"));
  ASSERT_EQ(even.told(), "");
  EXPECT_EQ(even.group().worker.gpus, (AutoCount{false, 2}));
}

TEST(PodGroup, QuantitiesOfAnySize_AreReadOrRefused) {
  EXPECT_EQ(translated(limited("memory: 1Ei")).group().worker.memory_bytes, uint64_t{1} << 60);
  EXPECT_EQ(translated(limited("memory: 1e30")).told().substr(0, 5), "E1802");
  EXPECT_EQ(translated(limited("nvidia.com/gpu: 99999999999999999999999")).told().substr(0, 5), "E1802");
  EXPECT_EQ(translated(limited("nvidia.com/gpu: \"0.5\"")).told().substr(0, 5), "E1802");
  EXPECT_NE(translated(limited("cpu: 9223372036854775000")).told(), "");
  EXPECT_NE(translated(limited("cpu: 1", "  nprocPerNode: \"99999999999999999999999\"\n")).told(), "");
}

// The notes of a PyTorchJob with these resources, without that on its image.
std::string notes_on(const std::string& resources, const std::string& more = "") {
  const Translated job = translated(
      pytorch(replica("Worker", 1, "name: pytorch, command: [torchrun, t.py], resources: " + resources), more));
  EXPECT_EQ(job.told(), "");
  return join(job.notes, "\n");
}

TEST(PodResources, WhatHostsCannotReserve_IsNamed) {
  EXPECT_EQ(
      notes_on("{requests: {cpu: 500m, memory: 1Gi}}"),
      "job.yaml:6: `requests.memory: 1Gi` has no effect here: only `limits.memory` limits what a process can use\n"
      "job.yaml:6: `requests.cpu: 500m` has no effect here: muster reserves whole CPUs for each process");
  EXPECT_EQ(notes_on("{limits: {rdma/hca: 1, ephemeral-storage: 0}}"),
            "job.yaml:6: `limits.rdma/hca: 1` has no effect here: on hosts, muster counts CPUs, memory and GPUs");
  EXPECT_EQ(notes_on("{requests: {cpu: 2}, limits: {cpu: 4}}"),
            "job.yaml:6: `limits.cpu: 4` has no effect here: muster reserves the CPUs of `requests`");
  EXPECT_EQ(
      notes_on("{limits: {cpu: 1}}", "  nprocPerNode: \"2\"\n"),
      "job.yaml:7: `limits.cpu: 1` has no effect here: muster reserves whole CPUs for each of the 2 processes of a "
      "node");
  EXPECT_EQ(notes_on("{limits: {cpu: 5}}", "  nprocPerNode: \"2\"\n"),
            "job.yaml:7: `limits.cpu: 5` becomes 2 CPUs for each process: muster reserves whole CPUs for each of the 2 "
            "processes of a node");
}

TEST(PodGroup, ACommandOfSeveralProcesses_SaysThatItStartsForEach) {
  const Translated job =
      translated(pytorch(replica("Worker", 1, "name: pytorch, command: [python, t.py]"), "  nprocPerNode: \"2\"\n"));
  EXPECT_EQ(job.notes,
            (std::vector<std::string>{"job.yaml:7: the command is started 2 times on each node, once for each "
                                      "process; a pod would start it once"}));
}

TEST(PodResources, WhatHostsCanReserve_NeedsNoNote) {
  EXPECT_EQ(notes_on("{requests: {cpu: 2, memory: 1Gi}, limits: {cpu: \"2000m\", memory: 1024Mi}}"), "");
  EXPECT_NE(notes_on("{requests: {cpu: 700m}, limits: {cpu: \"0.7\"}}"), "") << "a note, and no error";
  const std::string text = pytorch(
      replica("Worker", 1,
              "name: pytorch, image: a, command: [python, t.py], resources: {requests: {cpu: 500m, memory: 1Gi}}"));
  EXPECT_EQ(join(in_cluster(text).notes, "\n"), "");
}

constexpr const char* kObjects =
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {a.json: \"{}\", b.sh: echo}\n---\n"
    "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\ndata: {token: aGVsbG8=}\n---\n";

// A job with one volume at /etc/v, in an image on hosts.
Translated mounted(const std::string& volume, const std::string& mount = "", const std::string& objects = kObjects) {
  const std::string pod =
      "      spec: {containers: [{name: a, image: i, command: [./x], volumeMounts: [{name: v, mountPath: /etc/v" +
      mount + "}]}], volumes: [{name: v, " + volume + "}]}\n";
  return translated(objects + manifest("batch/v1", "Job", "  template:\n" + pod), {.in_image = kImageOfManifest});
}

using Files = std::map<std::string, std::string>;

TEST(PodMounts, ConfigMapBesideTheJob_IsFilesOfTheImage) {
  const Translated job = mounted("configMap: {name: c, defaultMode: 493}");
  ASSERT_EQ(job.told(), "");
  EXPECT_EQ(job.spec.in_image.mounts, (std::vector<std::string>{":/etc/v"}));
  EXPECT_EQ(job.spec.in_image.files, (Files{{"/etc/v/a.json", "{}"}, {"/etc/v/b.sh", "echo"}}));
  EXPECT_NE(join(job.notes, "\n").find("`/etc/v/b.sh` cannot be executed here"), std::string::npos);
  const Translated items = mounted("configMap: {name: c, items: [{key: b.sh, path: d/run}]}");
  EXPECT_EQ(items.spec.in_image.files, (Files{{"/etc/v/d/run", "echo"}}));
}

TEST(PodMounts, SecretBesideTheJob_IsFilesOfTheImage) {
  const std::string secret =
      "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\ndata: {key: c2VjcmV0, b: eA==}\nstringData: {b: y, c: "
      "z}\n---\n";
  const Translated job = mounted("secret: {secretName: s}", "", secret);
  EXPECT_EQ(job.spec.in_image.files, (Files{{"/etc/v/b", "y"}, {"/etc/v/c", "z"}, {"/etc/v/key", "secret"}}));
  ASSERT_EQ(job.told(), "");
  EXPECT_NE(join(job.notes, "\n").find("the files of the Secret `s` become a part of the job's record"),
            std::string::npos);
}

TEST(PodMounts, FileThatCouldReplaceOneOfTheUser_IsRefused) {
  EXPECT_EQ(mounted("configMap: {name: c}", ", subPath: a.json").told().substr(0, 5), "E1803");
  EXPECT_EQ(mounted("configMap: {name: c, items: [{key: b.sh, path: ../run}]}").told().substr(0, 5), "E1802");
  EXPECT_EQ(mounted("configMap: {name: c, items: [{key: b.sh, path: /run}]}").told().substr(0, 5), "E1802");
}

TEST(PodMounts, SubPathExprAndOneEmptyDirAtTwoPaths_AreRefused) {
  EXPECT_NE(mounted("hostPath: {path: /data}", ", subPathExpr: $(POD)").told().find("`subPathExpr`"),
            std::string::npos);
  const std::string again = "}, {name: v, mountPath: /other";
  EXPECT_NE(mounted("emptyDir: {}", again).told().find("at one path only"), std::string::npos);
  const Translated folder = mounted("hostPath: {path: /data}", again);
  ASSERT_EQ(folder.told(), "");
  EXPECT_EQ(folder.spec.in_image.mounts, (std::vector<std::string>{"/data:/etc/v", "/data:/other"}));
}

TEST(PodMounts, SecretThatIsNotThere_NeedsAFolderOfTheHost) {
  EXPECT_NE(mounted("secret: {secretName: other}").told().find("has no folder on the hosts"), std::string::npos);
}

TEST(PodMounts, ConfigMapThatIsNotThere_IsAnErrorUnlessItIsOptional) {
  EXPECT_NE(mounted("configMap: {name: other}").told().find("has no folder on the hosts"), std::string::npos);
  EXPECT_EQ(mounted("configMap: {name: other, optional: true}").spec.in_image.mounts.size(), 1u);
  EXPECT_NE(mounted("configMap: {name: c, items: [{key: nope, path: b}]}").told().find("cannot write `nope`"),
            std::string::npos);
}

TEST(PodMounts, GroupsWithTheSameVolume_WriteItOnce) {
  const std::string pod =
      "name: pytorch, command: [python, t.py], env: [{name: A, value: NAME}], volumeMounts: [{name: v, mountPath: "
      "/v}]}], volumes: "
      "[{name: v, configMap: {name: NAME}";
  const auto with = [&](const std::string& other) {
    std::string second = pod;
    second.replace(second.rfind("NAME"), 4, other);
    std::string first = pod;
    first.replace(first.rfind("NAME"), 4, "c");
    first.replace(first.find("NAME"), 4, "first");
    return translated(std::string(kObjects) +
                          "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: d}\ndata: {a.json: x}\n---\n" +
                          pytorch(replica("Master", 1, first) + replica("Worker", 1, second)),
                      {.in_image = "i"});
  };
  EXPECT_EQ(with("c").told(), "");
  EXPECT_EQ(with("d").told().substr(0, 5), "E1803");
}

}  // namespace
}  // namespace muster
