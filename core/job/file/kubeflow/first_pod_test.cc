// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "core/job/file/kubeflow/translated_test.h"

namespace muster {
namespace {

const std::string kAddress = "${master_address}";

// A variable with this value in a PyTorchJob, as muster sets it.
std::string value_in_pytorch_job(const std::string& value) {
  const Translated job = translated(pytorch(
      replica("Master", 1, "name: pytorch, command: [python, t.py], env: [{name: V, value: '" + value + "'}]")));
  EXPECT_EQ(job.told(), "");
  const auto found = job.spec.custom.find("V");
  return found == job.spec.custom.end() ? job.spec.env.at("V").literal : found->second;
}

TEST(FirstPod, BareNameInALargerText_IsReplacedWhereAHostNameEnds) {
  for (const char* text : {"@ x", "--master_addr=@ --master_port=1", "@,mnist-worker-0", "x=@;", "ping (@)", "@\tx",
                           "http://@/status", "echo \"@\" | cat", "@:$MASTER_PORT", "x;@"}) {
    const std::string pattern = text;
    const size_t at = pattern.find('@');
    const auto with = [&](const std::string& name) { return pattern.substr(0, at) + name + pattern.substr(at + 1); };
    std::string expected = with(kAddress);
    if (const size_t dollar = expected.find("$MASTER"); dollar != std::string::npos) expected.insert(dollar, "$");
    EXPECT_EQ(value_in_pytorch_job(with("mnist-master-0")), expected);
  }
}

TEST(FirstPod, BareNameThatIsAPartOfAnotherName_IsNotReplaced) {
  for (const char* text :
       {"mnist-master-0.log x", "run-of-mnist-master-0 x", "mnist-master-01 x", "my.mnist-master-0 x",
        "/data/mnist-master-0/log", "rm -r /data/mnist-master-0 x", "mnist-master-0: started"})
    EXPECT_EQ(value_in_pytorch_job(text), text);
}

TEST(FirstPod, BareNameBeforeAnotherArgument_IsReplacedInAScript) {
  const Translated job = translated(pytorch(
      replica("Master", 1, "name: pytorch, command: [sh, -c, \"date; torchrun --master_addr=mnist-master-0 t.py\"]")));
  ASSERT_EQ(job.told(), "");
  EXPECT_EQ(job.spec.custom.at("FIRST_POD_ADDRESS"), kAddress);
}

// Notes about host names.
std::vector<std::string> notes_of_names(const Translated& job) {
  std::vector<std::string> notes;
  std::copy_if(job.notes.begin(), job.notes.end(), std::back_inserter(notes),
               [](const std::string& note) { return note.find("is the host name of") != std::string::npos; });
  return notes;
}

TEST(OtherPods, OfAPyTorchJob_AreNoted) {
  const auto notes = [](const std::string& value) {
    return notes_of_names(translated(pytorch(
        replica("Master", 1, "name: pytorch, command: [python, m.py]") +
        replica("Worker", 2, "name: pytorch, command: [python, t.py], env: [{name: V, value: '" + value + "'}]"))));
  };
  ASSERT_EQ(notes("tcp://mnist-worker-1:1").size(), 1u);
  EXPECT_NE(notes("tcp://mnist-worker-1:1")[0].find("`mnist-worker-1` is the host name of a pod"), std::string::npos);
  for (const char* other :
       {"mnist-master-0", "mnist-worker-x", "mnist-worker-1a", "mnist-worker-1-2", "a-mnist-worker-1"})
    EXPECT_EQ(notes(other), std::vector<std::string>{}) << other;
}

TEST(OtherPods, OfATfJobAndAnMpiJob_AreNoted) {
  const std::string chief = replica("Chief", 1, "name: tensorflow, command: [python, t.py, mnist-ps-0.default.svc]");
  const std::string tf =
      manifest("kubeflow.org/v1", "TFJob",
               "  tfReplicaSpecs:\n" + chief + replica("PS", 1, "name: tensorflow, command: [./ps]"));
  EXPECT_EQ(notes_of_names(translated(tf)).size(), 1u);
  const std::string launcher = replica("Launcher", 1, "name: l, command: [sh, -c, 'ping mnist-worker-0; mpirun ./x']");
  const std::string mpi =
      manifest("kubeflow.org/v2beta1", "MPIJob", "  mpiReplicaSpecs:\n" + launcher + replica("Worker", 2, "name: w"));
  EXPECT_EQ(notes_of_names(translated(mpi)).size(), 1u);
}

TEST(OtherPods, OfAnOperatorInACluster_AreNoted) {
  const Translated job =
      in_cluster(pytorch(replica("Worker", 2, "name: pytorch, image: a, command: [./x, mnist-worker-1]")));
  ASSERT_EQ(notes_of_names(job).size(), 1u);
  EXPECT_NE(notes_of_names(job)[0].find("which no pod of this job has"), std::string::npos) << job.notes[0];
}

}  // namespace
}  // namespace muster
