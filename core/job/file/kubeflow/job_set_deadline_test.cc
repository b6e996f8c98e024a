// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "core/base/text.h"
#include "core/job/file/kubeflow/translated_test.h"

namespace muster {
namespace {

// A JobSet whose Jobs have these lines in their specs.
Translated with_jobs(const std::vector<std::string>& specs, const std::string& more = "") {
  std::string jobs;
  for (const std::string& spec : specs)
    jobs += "    - {name: g" + std::to_string(jobs.size()) + ", template: {spec: {" + spec +
            "template: {spec: {containers: [{name: x, command: [./x]}]}}}}}\n";
  return translated(manifest("jobset.x-k8s.io/v1alpha2", "JobSet", more + "  replicatedJobs:\n" + jobs));
}

const std::string kDeadline = "activeDeadlineSeconds: 3, ";

TEST(DeadlineOfAJob, OfTheOnlyGroup_IsThatOfTheJob) {
  const Translated job = with_jobs({kDeadline});
  ASSERT_EQ(job.told(), "");
  EXPECT_EQ(job.spec.timeouts.run, std::chrono::seconds(3));
  EXPECT_EQ(job.notes, std::vector<std::string>{});
}

TEST(DeadlineOfAJob, OfOneOfTwoGroups_LimitsTheJobAndIsNoted) {
  for (const char* other : {"", "activeDeadlineSeconds: 4, "}) {
    const Translated job = with_jobs({kDeadline, other});
    ASSERT_EQ(job.told(), "");
    EXPECT_EQ(job.spec.timeouts.run, std::chrono::seconds(3));
    EXPECT_NE(join(job.notes, "\n").find("of the Jobs of `g0` limits the whole job, also after they have ended"),
              std::string::npos)
        << join(job.notes, "\n");
  }
}

TEST(DeadlineOfAJob, OfAllGroups_LimitsTheJobWithItsRestarts) {
  const Translated job = with_jobs({kDeadline, kDeadline}, "  failurePolicy: {maxRestarts: 1}\n");
  ASSERT_EQ(job.told(), "");
  EXPECT_EQ(job.spec.timeouts.run, std::chrono::seconds(3));
  EXPECT_NE(join(job.notes, "\n").find("limits the whole job with its restarts"), std::string::npos);
}

}  // namespace
}  // namespace muster
