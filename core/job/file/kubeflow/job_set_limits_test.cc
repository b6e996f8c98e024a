// SPDX-License-Identifier: Apache-2.0
// What the Jobs of a JobSet say about their order and their limits.
#include <gtest/gtest.h>

#include "core/job/file/kubeflow/translated_test.h"

namespace muster {
namespace {

// A JobSet with these lines in `replicatedJobs`, and one of them.
std::string set_of(const std::string& jobs) {
  return manifest("jobset.x-k8s.io/v1alpha2", "JobSet", "  replicatedJobs:\n" + jobs);
}
std::string job_of_set(const std::string& name, const std::string& more = "", const std::string& of_spec = "") {
  return "    - {name: " + name + more + ", template: {spec: {" + of_spec +
         "template: {spec: {containers: [{name: x, image: i, command: [./x]}]}}}}}\n";
}

TEST(JobSet, DependsOnCompletion_IsRefused) {
  const auto told = [](const std::string& status) {
    return translated(set_of(job_of_set("prepare") +
                             job_of_set("train", ", dependsOn: [{name: prepare, status: " + status + "}]")))
        .told();
  };
  EXPECT_EQ(told("Complete"),
            "E1803 7:57 `train` waits until `prepare` is complete, and muster starts all groups together\n");
  EXPECT_EQ(told("Ready"), "");
}

}  // namespace
}  // namespace muster
