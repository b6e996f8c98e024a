// SPDX-License-Identifier: Apache-2.0
#include "core/client/view/time_spent.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

TimePoint moment(int64_t seconds) { return TimePoint(std::chrono::seconds(1000 + seconds)); }

AttemptView attempt(uint32_t number, int64_t placed, int64_t running, int64_t ended) {
  AttemptView view;
  view.attempt = number;
  view.placed = moment(placed);
  view.running = running < 0 ? TimePoint() : moment(running);
  view.ended = ended < 0 ? TimePoint() : moment(ended);
  return view;
}

JobView job_of(std::vector<AttemptView> attempts, int64_t ended) {
  JobView job;
  job.submitted = moment(0);
  job.attempts = std::move(attempts);
  job.done = ended >= 0;
  job.state = job.done ? "succeeded" : "running";
  if (job.done) job.ended = moment(ended);
  return job;
}

TEST(TimeSpent, EveryMomentHasOnePhase) {
  JobView job = job_of({attempt(1, 5, 6, 50), attempt(2, 52, 53, 98)}, 100);
  job.attempts[0].working = moment(10);
  const std::vector<Span> expected{
      {SpentOn::queue, moment(0), moment(5)},     {SpentOn::start, moment(5), moment(6)},
      {SpentOn::import, moment(6), moment(10)},   {SpentOn::useful, moment(10), moment(50)},
      {SpentOn::restart, moment(50), moment(53)}, {SpentOn::useful, moment(53), moment(98)},
      {SpentOn::stop, moment(98), moment(100)}};
  EXPECT_EQ(spans_of(job, "", moment(100)), expected);
  EXPECT_EQ(spent_line(job, Style{}),
            "·▒▓████████████░█████████████▒  85 % useful · 5.0 % queue · 4.0 % import · 3.0 % restart");
}

TEST(TimeSpent, OfAJobThatHangs_IsNotShown) {
  JobView job = job_of({attempt(1, 0, 1, -1)}, -1);
  EXPECT_NE(spent_line(job, Style{}), "");
  job.hang = "no rank has shown activity for 10 min";
  EXPECT_EQ(spent_line(job, Style{}), "");
  JobView ended = job_of({attempt(1, 0, 1, 50)}, 50);
  ended.hang = job.hang;
  EXPECT_NE(spent_line(ended, Style{}), "") << "it continued";
  ended.attempts[0].stack = "rank 1";
  EXPECT_EQ(spent_line(ended, Style{}), "");
}

TEST(TimeSpent, WhatWaitsHasOnlyWaited) {
  JobView job = job_of({}, -1);
  job.state = "queued";
  EXPECT_EQ(spans_of(job, "", moment(9)), (std::vector<Span>{{SpentOn::queue, moment(0), moment(9)}}));
  EXPECT_EQ(spent_line(job, Style{}), "");
}

TEST(TimeSpent, AnAttemptThatNeverRanCountsAsStart) {
  const JobView job = job_of({attempt(1, 1, -1, 4)}, 4);
  EXPECT_EQ(spans_of(job, "", moment(4)),
            (std::vector<Span>{{SpentOn::queue, moment(0), moment(1)}, {SpentOn::start, moment(1), moment(4)}}));
}

TEST(TimeSpent, BetweenAttemptsItRestarts) {
  const JobView job = job_of({attempt(1, 0, 1, 4)}, -1);
  EXPECT_EQ(spans_of(job, "", moment(6)).back(), (Span{SpentOn::restart, moment(4), moment(6)}));
}

TEST(TimeSpent, StoppingIsNotUseful) {
  JobView job = job_of({attempt(1, 0, 1, 10), attempt(2, 11, 12, 20)}, 20);
  job.attempts[0].stopping = moment(4);
  job.attempts[1].stopping = moment(14);
  const std::vector<Span> expected{{SpentOn::start, moment(0), moment(1)},
                                   {SpentOn::useful, moment(1), moment(4)},
                                   {SpentOn::restart, moment(4), moment(12)},
                                   {SpentOn::useful, moment(12), moment(14)},
                                   {SpentOn::stop, moment(14), moment(20)}};
  EXPECT_EQ(spans_of(job, "", moment(20)), expected);
}

TEST(TimeSpent, WhatIsBeingStoppedIsNotUseful) {
  JobView job = job_of({attempt(1, 0, 1, -1)}, -1);
  job.attempts[0].stopping = moment(4);
  job.state = "stopping";
  EXPECT_EQ(spans_of(job, "", moment(6)).back(), (Span{SpentOn::stop, moment(4), moment(6)}));
}

TEST(TimeSpent, ImportsInAWarmParentAreImports) {
  JobView job = job_of({attempt(1, 0, 9, 20), attempt(2, 22, 23, -1)}, -1);
  job.attempts[0].importing = moment(1);
  job.attempts[0].working = moment(10);
  job.attempts[1].importing = moment(22);
  job.attempts[1].working = moment(24);
  const std::vector<Span> expected{
      {SpentOn::start, moment(0), moment(1)},    {SpentOn::import, moment(1), moment(10)},
      {SpentOn::useful, moment(10), moment(20)}, {SpentOn::restart, moment(20), moment(22)},
      {SpentOn::import, moment(22), moment(24)}, {SpentOn::useful, moment(24), moment(30)}};
  EXPECT_EQ(spans_of(job, "", moment(30)), expected);
}

TEST(TimeSpent, HostsThatAreSetUpHaveAPhaseOfTheirOwn) {
  JobView job = job_of({attempt(1, 1, 9, 20), attempt(2, 22, -1, -1)}, -1);
  job.attempts[0].preparing = moment(2);
  job.attempts[0].prepared = moment(8);
  job.attempts[1].preparing = moment(23);
  const std::vector<Span> expected{{SpentOn::queue, moment(0), moment(1)},   {SpentOn::start, moment(1), moment(2)},
                                   {SpentOn::setup, moment(2), moment(8)},   {SpentOn::start, moment(8), moment(9)},
                                   {SpentOn::useful, moment(9), moment(20)}, {SpentOn::restart, moment(20), moment(23)},
                                   {SpentOn::setup, moment(23), moment(30)}};
  EXPECT_EQ(spans_of(job, "", moment(30)), expected);
}

TEST(TimeSpent, ASetupThatFailsEndsWithItsAttempt) {
  JobView job = job_of({attempt(1, 0, -1, 6)}, 6);
  job.attempts[0].preparing = moment(1);
  job.attempts[0].stopping = moment(5);
  const std::vector<Span> expected{{SpentOn::start, moment(0), moment(1)},
                                   {SpentOn::setup, moment(1), moment(5)},
                                   {SpentOn::stop, moment(5), moment(6)}};
  EXPECT_EQ(spans_of(job, "", moment(6)), expected);
}

TEST(TimeSpent, GroupsAreSummedAndHaveNoBar) {
  JobView job = job_of({attempt(1, 0, 1, -1), attempt(1, 0, 1, 5), attempt(2, 5, 6, -1)}, -1);
  job.attempts[0].group = "a";
  job.attempts[1].group = job.attempts[2].group = "b";
  Style style;
  style.now = moment(10);
  EXPECT_EQ(spent_line(job, style), "85 % useful · 10 % start · 5.0 % restart");
}

TEST(TimeSpent, ClocksThatGoBackTakeNoTime) {
  JobView job = job_of({attempt(1, 5, 3, 2)}, 1);
  EXPECT_EQ(spans_of(job, "", moment(1)), (std::vector<Span>{{SpentOn::queue, moment(0), moment(5)}}));
}

}  // namespace
}  // namespace muster
