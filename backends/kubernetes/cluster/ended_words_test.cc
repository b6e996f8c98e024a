// SPDX-License-Identifier: Apache-2.0
#include "backends/kubernetes/cluster/ended_words.h"

#include <gtest/gtest.h>

namespace muster::pod {
namespace {

TEST(EndedWords, NumbersComeBack) {
  JobView job;
  job.attempt = 3;
  job.restarts = 2;
  job.exit_code = 1;
  job.propagated_code = 137;
  job.started = TimePoint(std::chrono::seconds(1'764'000'000));
  JobView back;
  take_counts("failed: rank 1 exited 7\n" + counts_line(job) + "\n\nwhy", back);
  EXPECT_EQ(back, job);
}

TEST(EndedWords, OtherWords_ChangeNothing) {
  for (const char* words : {"", "failed: x", "failed: x\n\nattempt 3", "failed: x\nattempt 3, restarts"}) {
    JobView job;
    take_counts(words, job);
    EXPECT_EQ(job, JobView()) << words;
  }
}

TEST(EndedWords, WhatNeverBegan_HasNoTime) {
  JobView back;
  take_counts("cancelled\n" + counts_line({}), back);
  EXPECT_EQ(back.started, TimePoint());
}

}  // namespace
}  // namespace muster::pod
