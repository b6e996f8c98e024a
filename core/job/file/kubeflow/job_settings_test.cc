// SPDX-License-Identifier: Apache-2.0
// Settings of the whole job: queues, names.
#include <gtest/gtest.h>

#include "core/job/file/kubeflow/translated_test.h"

namespace muster {
namespace {

TEST(JobSettings, LabelOfKueueInACluster_IsTheQueue) {
  std::string labelled = pytorch(replica("Worker", 1, "name: pytorch, image: a, command: [./x]"),
                                 "  runPolicy: {schedulingPolicy: {queue: other}}\n");
  labelled.replace(labelled.find("{name: mnist}"), 13, "{name: mnist, labels: {kueue.x-k8s.io/queue-name: team-a}}");
  const Translated job = in_cluster(labelled);
  ASSERT_EQ(job.told(), "");
  EXPECT_EQ(job.spec.kubernetes.queue, "team-a");
  EXPECT_EQ(translated(labelled).spec.kubernetes.queue, "");
}

}  // namespace
}  // namespace muster
