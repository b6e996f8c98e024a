// SPDX-License-Identifier: Apache-2.0
// Large, deep and malicious manifests are refused, in little memory.
#include <gtest/gtest.h>

#include <fstream>

#include "core/job/file/kubeflow/translated_test.h"

namespace muster {
namespace {

// scripts/bench convert measures how long this takes.
void expect_refused(const std::string& text, const std::string& what) {
  EXPECT_TRUE(has_errors(translated(text).problems)) << what;
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr size_t kMemoryKib = 1024 * 1024;  // sanitizers keep freed memory
#else
constexpr size_t kMemoryKib = 64 * 1024;
#endif

// A value of this process in KiB, such as VmHWM, the most memory that it has had.
size_t memory_kib(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(name + ":")) return std::stoul(line.substr(name.size() + 1));
  }
  return 0;
}

void expect_refused_in_little_memory(const std::string& text, const std::string& what) {
  std::ofstream("/proc/self/clear_refs") << "5";  // VmHWM begins again
  const size_t before = memory_kib("VmRSS");
  expect_refused(text, what);
  EXPECT_LT(memory_kib("VmHWM"), before + kMemoryKib) << what;
}

const std::string kHead = "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: a}\n";
const std::string kJob =
    kHead + "spec: {runtimeRef: {name: torch-distributed}, trainer: {numProcPerNode: 2, command: [torchrun, t.py]}}\n";

std::string repeated(const std::string& text, size_t count) {
  std::string all;
  for (size_t i = 0; i < count; ++i) all += text;
  return all;
}

TEST(ManifestLimits, LargeFilesManyDocumentsAndBombs_AreRefused) {
  expect_refused(kJob + "# " + std::string(10 << 20, 'x') + "\n", "10 MB of comment");
  expect_refused(kJob + "x: \"" + std::string(10 << 20, 'x') + "\"\n", "10 MB of text");
  expect_refused(repeated(kJob + "---\n", 10'000), "10,000 jobs");
  expect_refused(repeated("---\na: b\n", 10'000), "10,000 documents");
  expect_refused(repeated("---\n", 60'000) + kJob, "60,000 empty documents");
  std::string bomb = kHead + "a0: &a0 [x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 10; ++i)
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" +
            repeated("*a" + std::to_string(i - 1) + ", ", 8) + "*a" + std::to_string(i - 1) + "]\n";
  expect_refused(bomb, "anchors of anchors");
  expect_refused(kHead + "spec: " + repeated("[", 10'000), "deep lists");
  expect_refused(kHead + "spec: {" + repeated("a: b, ", 19'000) + "}\n", "many keys");
  expect_refused(kHead + "spec: &s {trainer: *s}\n", "an anchor in itself");
}

// A PyTorchJob with this command and these variables.
std::string expanding(const std::string& command, const std::string& env) {
  return pytorch(replica("Worker", 1, "name: pytorch, command: [" + command + "], env: [" + env + "]"));
}

TEST(ManifestLimits, SmallManifestsThatExpand_AreRefusedInLittleMemory) {
  const std::string large = "{name: A, value: " + std::string(100'000, 'x') + "}";
  std::string doubling = "{name: A0, value: " + std::string(1000, 'x') + "}";
  std::string copies = large;
  for (int i = 1; i < 40; ++i) {
    const std::string before = "$(A" + std::to_string(i - 1) + ")";
    doubling += ", {name: A" + std::to_string(i) + ", value: \"" + before + before + "\"}";
  }
  for (int i = 1; i < 3000; ++i) copies += ", {name: B" + std::to_string(i) + ", value: $(A)}";
  expect_refused_in_little_memory(expanding("x", doubling), "variables that double each other");
  expect_refused_in_little_memory(expanding("x", copies), "a variable that others copy");
  expect_refused_in_little_memory(expanding("x" + repeated(", $(A)", 15'000), large), "a variable in many words");
  const std::string name = "{name: A, valueFrom: {fieldRef: {fieldPath: metadata.name}}}";
  expect_refused_in_little_memory(expanding("x", name + ", {name: B, value: \"" + repeated("$(A)", 25'000) +
                                                     "\"}, {name: C, value: \"" + repeated("$(B)", 25'000) + "\"}"),
                                  "a field of the pod that is repeated");
  std::string keys = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata:\n";
  for (int i = 0; i < 1500; ++i) keys += "  k" + std::to_string(i) + ": \"\"\n";
  std::string prefixes;
  for (int i = 0; i < 1700; ++i) prefixes += "{prefix: p" + std::to_string(i) + ", configMapRef: {name: c}}, ";
  expect_refused_in_little_memory(
      keys + "---\n" + pytorch(replica("Worker", 1, "name: pytorch, command: [x], envFrom: [" + prefixes + "]")),
      "many prefixes of many keys");
  std::string groups;
  for (int i = 0; i < 300; ++i)
    groups += "    - {name: g" + std::to_string(i) +
              ", template: {spec: {template: {spec: {containers: [{name: x, command: [./x], envFrom: [{configMapRef: "
              "{name: c}}]}]}}}}}\n";
  expect_refused_in_little_memory(
      "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {A: " + std::string(100'000, 'x') + "}\n---\n" +
          manifest("jobset.x-k8s.io/v1alpha2", "JobSet", "  replicatedJobs:\n" + groups),
      "a ConfigMap in many groups");
  std::string aliases = "{name: A, value: &a " + std::string(150'000, 'x') + "}";
  for (int i = 1; i < 3000; ++i) aliases += ", {name: B" + std::to_string(i) + ", value: *a}";
  expect_refused_in_little_memory(expanding("x", aliases), "an anchor that is repeated");
}

TEST(ManifestLimits, ManyDocumentsWithOneJob_AreRead) {
  const Translated job =
      translated(repeated("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n---\n", 500) + kJob);
  EXPECT_EQ(job.told(), "");
}

}  // namespace
}  // namespace muster
