// SPDX-License-Identifier: Apache-2.0
#include "core/client/view/attempts_view.h"

#include <gtest/gtest.h>

#include <csignal>

namespace muster {
namespace {

TimePoint at(int second) { return from_unix_nanos(1'700'000'000'000'000'000) + std::chrono::seconds(second); }

// The trainer fails, and later the evaluator; the trainer runs again.
JobView job_of_groups() {
  JobView job;
  job.attempts = {{.attempt = 1, .group = "trainer", .running = at(1), .ended = at(10), .cause = "trainer 1 died"},
                  {.attempt = 1, .group = "evaluator", .running = at(1), .ended = at(30), .cause = "evaluator 0 died"},
                  {.attempt = 2, .group = "trainer", .running = at(12)},
                  {.attempt = 3, .group = "evaluator"}};
  return job;
}

TEST(AttemptsView, EachGroupsOwn) {
  const JobView job = job_of_groups();
  EXPECT_EQ(attempts_of(job, "trainer").size(), 2u);
  EXPECT_EQ(newest_attempt_of(job, "evaluator")->attempt, 3u);
  EXPECT_EQ(newest_attempt_of(job, "nobody"), nullptr);
  EXPECT_TRUE(by_group(job));
  EXPECT_TRUE(was_restarted(job));
}

TEST(AttemptsView, TheLastFailureIsNotThatOfTheNewestAttempt) {
  JobView job = job_of_groups();
  job.attempts[2].cause = "trainer 0 died";
  job.attempts[2].ended = at(20);
  EXPECT_EQ(last_failure(job)->cause, "evaluator 0 died");
  job.attempts[2].ended = TimePoint();  // right now
  EXPECT_EQ(last_failure(job)->cause, "trainer 0 died");
}

TEST(AttemptsView, EndOfARank_NamesWhyMusterStoppedIt) {
  JobView job;
  job.state = "failed";
  job.attempts = {{.attempt = 1, .cause = "rank 1 exited with code 3", .culprit = 1}};
  RankView rank;
  rank.exit = ExitStatus{.kind = ExitStatus::Kind::signalled, .signal = SIGTERM};
  EXPECT_EQ(end_of_rank(job, rank), "was stopped because another rank failed");
  job.attempts[0].culprit.reset();
  EXPECT_EQ(end_of_rank(job, rank), "was stopped because the attempt failed") << "a hang or a time limit";
  job.attempts[0].culprit = 0;
  EXPECT_EQ(end_of_rank(job, rank), "was killed by SIGTERM");
  job.attempts[0] = {.attempt = 1};
  job.state = "cancelled";
  EXPECT_EQ(end_of_rank(job, rank), "was killed by SIGTERM");
}

TEST(AttemptsView, RecoveryIsTheGroupsOwn) {
  const JobView job = job_of_groups();
  EXPECT_EQ(recovery_after(job, job.attempts[0]), "2 s");
  EXPECT_EQ(recovery_after(job, job.attempts[1]), "–");
}

TEST(AttemptsView, OfAGangAllAreEverybodys) {
  JobView job;
  job.attempts = {{.attempt = 1}};
  EXPECT_FALSE(by_group(job));
  EXPECT_FALSE(was_restarted(job));
  EXPECT_EQ(attempts_of(job, "worker").size(), 1u);
  EXPECT_EQ(last_failure(job), nullptr);
}

}  // namespace
}  // namespace muster
