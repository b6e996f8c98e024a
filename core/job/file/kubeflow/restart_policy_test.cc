// SPDX-License-Identifier: Apache-2.0
// `restartPolicy` of the Training Operator beside the other limits of restarts.
#include <gtest/gtest.h>

#include "core/job/file/kubeflow/translated_test.h"

namespace muster {
namespace {

TEST(PyTorchJob, NeverWithABackoffLimit_IsNotRestarted) {
  const auto limit = [](const std::string& policy) {
    const std::string container = "name: pytorch, command: [python, t.py]";
    const Translated job =
        translated(pytorch(replica("Master", 1, container) + replica("Worker", 2, container + ", image: other", policy),
                           "  runPolicy: {backoffLimit: 3}\n"));
    EXPECT_EQ(job.told(), "");
    return job.spec.restarts.limit;
  };
  EXPECT_EQ(limit(", restartPolicy: Never"), 0u);
  EXPECT_EQ(limit(", restartPolicy: OnFailure"), 3u);
  EXPECT_EQ(limit(""), 3u);
}

TEST(MpiJob, NeverWithABackoffLimitOfItsLauncher_IsRestartedIfAJobRunsIt) {
  const auto limit = [](const std::string& version) {
    return translated(
               manifest(version, "MPIJob",
                        "  runPolicy: {backoffLimit: 3}\n  mpiReplicaSpecs:\n" +
                            replica("Launcher", 1, "name: l, command: [mpirun, ./pi]", ", restartPolicy: Never") +
                            replica("Worker", 1, "name: w")))
        .spec.restarts.limit;
  };
  EXPECT_EQ(limit("kubeflow.org/v2beta1"), 3u);
  EXPECT_EQ(limit("kubeflow.org/v1"), 0u);
}

}  // namespace
}  // namespace muster
