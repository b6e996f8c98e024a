// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

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
  for (const char* text : {"mnist-master-0.log x", "run-of-mnist-master-0 x", "mnist-master-01 x",
                           "my.mnist-master-0 x", "/data/mnist-master-0/log", "mnist-master-0: started"})
    EXPECT_EQ(value_in_pytorch_job(text), text);
}

TEST(FirstPod, BareNameBeforeAnotherArgument_IsReplacedInAScript) {
  const Translated job = translated(pytorch(
      replica("Master", 1, "name: pytorch, command: [sh, -c, \"date; torchrun --master_addr=mnist-master-0 t.py\"]")));
  ASSERT_EQ(job.told(), "");
  EXPECT_EQ(job.spec.custom.at("FIRST_POD_ADDRESS"), kAddress);
}

}  // namespace
}  // namespace muster
