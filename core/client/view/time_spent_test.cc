#include "core/client/view/time_spent.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

TimePoint at(int64_t seconds) { return TimePoint(std::chrono::seconds(1000 + seconds)); }

AttemptView attempt(uint32_t number, int64_t placed, int64_t running, int64_t ended) {
  AttemptView view;
  view.attempt = number;
  view.placed = at(placed);
  view.running = running < 0 ? TimePoint() : at(running);
  view.ended = ended < 0 ? TimePoint() : at(ended);
  return view;
}

JobView job_of(std::vector<AttemptView> attempts, int64_t ended) {
  JobView job;
  job.submitted = at(0);
  job.attempts = std::move(attempts);
  job.done = ended >= 0;
  job.state = job.done ? "succeeded" : "running";
  if (job.done) job.ended = at(ended);
  return job;
}

TEST(TimeSpent, EveryMomentHasOnePhase) {
  JobView job = job_of({attempt(1, 5, 6, 50), attempt(2, 52, 53, 98)}, 100);
  job.attempts[0].working = at(10);
  const std::vector<Span> expected{{SpentOn::queue, at(0), at(5)},     {SpentOn::start, at(5), at(6)},
                                   {SpentOn::import, at(6), at(10)},   {SpentOn::useful, at(10), at(50)},
                                   {SpentOn::restart, at(50), at(53)}, {SpentOn::useful, at(53), at(98)},
                                   {SpentOn::stop, at(98), at(100)}};
  EXPECT_EQ(spans_of(job, "", at(100)), expected);
  EXPECT_EQ(spent_line(job, Style{}),
            "·▒▓████████████░█████████████▒  85 % useful · 5.0 % queue · 4.0 % import · 3.0 % restart");
}

TEST(TimeSpent, WhatWaitsHasOnlyWaited) {
  JobView job = job_of({}, -1);
  job.state = "queued";
  EXPECT_EQ(spans_of(job, "", at(9)), (std::vector<Span>{{SpentOn::queue, at(0), at(9)}}));
  EXPECT_EQ(spent_line(job, Style{}), "");
}

TEST(TimeSpent, AnAttemptThatNeverRanCountsAsStart) {
  const JobView job = job_of({attempt(1, 1, -1, 4)}, 4);
  EXPECT_EQ(spans_of(job, "", at(4)),
            (std::vector<Span>{{SpentOn::queue, at(0), at(1)}, {SpentOn::start, at(1), at(4)}}));
}

TEST(TimeSpent, BetweenAttemptsItRestarts) {
  const JobView job = job_of({attempt(1, 0, 1, 4)}, -1);
  EXPECT_EQ(spans_of(job, "", at(6)).back(), (Span{SpentOn::restart, at(4), at(6)}));
}

TEST(TimeSpent, StoppingIsNotUseful) {
  JobView job = job_of({attempt(1, 0, 1, 10), attempt(2, 11, 12, 20)}, 20);
  job.attempts[0].stopping = at(4);
  job.attempts[1].stopping = at(14);
  const std::vector<Span> expected{{SpentOn::start, at(0), at(1)},
                                   {SpentOn::useful, at(1), at(4)},
                                   {SpentOn::restart, at(4), at(12)},
                                   {SpentOn::useful, at(12), at(14)},
                                   {SpentOn::stop, at(14), at(20)}};
  EXPECT_EQ(spans_of(job, "", at(20)), expected);
}

TEST(TimeSpent, WhatIsBeingStoppedIsNotUseful) {
  JobView job = job_of({attempt(1, 0, 1, -1)}, -1);
  job.attempts[0].stopping = at(4);
  job.state = "stopping";
  EXPECT_EQ(spans_of(job, "", at(6)).back(), (Span{SpentOn::stop, at(4), at(6)}));
}

TEST(TimeSpent, ImportsInAWarmParentAreImports) {
  JobView job = job_of({attempt(1, 0, 9, 20), attempt(2, 22, 23, -1)}, -1);
  job.attempts[0].importing = at(1);
  job.attempts[0].working = at(10);
  job.attempts[1].importing = at(22);
  job.attempts[1].working = at(24);
  const std::vector<Span> expected{{SpentOn::start, at(0), at(1)},    {SpentOn::import, at(1), at(10)},
                                   {SpentOn::useful, at(10), at(20)}, {SpentOn::restart, at(20), at(22)},
                                   {SpentOn::import, at(22), at(24)}, {SpentOn::useful, at(24), at(30)}};
  EXPECT_EQ(spans_of(job, "", at(30)), expected);
}

TEST(TimeSpent, HostsThatAreSetUpHaveAPhaseOfTheirOwn) {
  JobView job = job_of({attempt(1, 1, 9, 20), attempt(2, 22, -1, -1)}, -1);
  job.attempts[0].preparing = at(2);
  job.attempts[0].prepared = at(8);
  job.attempts[1].preparing = at(23);
  const std::vector<Span> expected{{SpentOn::queue, at(0), at(1)},   {SpentOn::start, at(1), at(2)},
                                   {SpentOn::setup, at(2), at(8)},   {SpentOn::start, at(8), at(9)},
                                   {SpentOn::useful, at(9), at(20)}, {SpentOn::restart, at(20), at(23)},
                                   {SpentOn::setup, at(23), at(30)}};
  EXPECT_EQ(spans_of(job, "", at(30)), expected);
}

TEST(TimeSpent, ASetupThatFailsEndsWithItsAttempt) {
  JobView job = job_of({attempt(1, 0, -1, 6)}, 6);
  job.attempts[0].preparing = at(1);
  job.attempts[0].stopping = at(5);
  const std::vector<Span> expected{
      {SpentOn::start, at(0), at(1)}, {SpentOn::setup, at(1), at(5)}, {SpentOn::stop, at(5), at(6)}};
  EXPECT_EQ(spans_of(job, "", at(6)), expected);
}

TEST(TimeSpent, GroupsAreSummedAndHaveNoBar) {
  JobView job = job_of({attempt(1, 0, 1, -1), attempt(1, 0, 1, 5), attempt(2, 5, 6, -1)}, -1);
  job.attempts[0].group = "a";
  job.attempts[1].group = job.attempts[2].group = "b";
  Style style;
  style.now = at(10);
  EXPECT_EQ(spent_line(job, style), "85 % useful · 10 % start · 5.0 % restart");
}

TEST(TimeSpent, ClocksThatGoBackTakeNoTime) {
  JobView job = job_of({attempt(1, 5, 3, 2)}, 1);
  EXPECT_EQ(spans_of(job, "", at(1)), (std::vector<Span>{{SpentOn::queue, at(0), at(5)}}));
}

}  // namespace
}  // namespace muster
