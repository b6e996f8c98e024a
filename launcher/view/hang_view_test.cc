// SPDX-License-Identifier: Apache-2.0
#include "launcher/view/hang_view.h"

#include <gtest/gtest.h>

#include <csignal>

#include "launcher/view/jobs_table.h"
#include "launcher/view/why_view.h"

namespace muster {
namespace {

const std::string kSilent =
    "no rank has made a step or shown activity for 10 min: rank 0 in socket.accept (socket.py:294), in accept "
    "(inet_csk_accept) (hangs.after)";

TEST(HangView, ShortFinding_LeavesOutLocations) {
  EXPECT_EQ(short_finding("the gang hangs: " + kSilent),
            "the gang hangs: no rank has made a step or shown activity for 10 min");
  EXPECT_EQ(
      short_finding(
          "no rank has shown activity since 19:03:07 UTC: rank 0 in f (a.py:4); this may be normal (hangs.after)"),
      "no rank has shown activity since 19:03:07 UTC");
  EXPECT_EQ(short_finding("rank 1 is stopped by a signal (SIGSTOP or the like) since 12:04:30 UTC; it is in recv"),
            "rank 1 is stopped by a signal (SIGSTOP or the like) since 12:04:30 UTC");
  EXPECT_EQ(short_finding("MPI_Init waits for rank 2 on b (1 of 2), for 10 min now"),
            "MPI_Init waits for rank 2 on b (1 of 2), for 10 min now");
}

TEST(HangView, WhyOfASilentJobWithoutStacks_ShowsWhereItsRanksAre) {
  JobView job;
  job.state = "running";
  job.hang = "no rank has shown activity since 12:04:30 UTC; this may be normal (hangs.after)";
  RankView& rank = job.ranks.emplace_back();
  rank.name = "rank 0";
  rank.phase = RankPhase::running;
  rank.standing = RankLocation{"main (a.py:4)", "  Python thread 12\n    main (a.py:4)\n    start (a.py:9)\n"};
  const std::string text = why_view(job, Style());
  EXPECT_NE(text.find("Where its ranks are now:\n  rank 0: main (a.py:4)\n"), std::string::npos) << text;
  job.hang_stack = "rank 0\n" + rank.standing->stack;
  EXPECT_EQ(why_view(job, Style()).find("Where its ranks are now"), std::string::npos);
}

TEST(HangView, NoteOfAJob_IsShort) {
  JobView job;
  job.state = "running";
  job.hang = "the gang hangs: " + kSilent;
  EXPECT_EQ(job_note(job), "the gang hangs: no rank has made a step or shown activity for 10 min");
  job.hang.clear();
  job.state = "failed";
  job.done = true;
  job.sentence = "failed: the gang hangs: " + kSilent + ", in attempt 2 of 2";
  EXPECT_EQ(job_note(job), "the gang hangs: no rank has made a step or shown activity for 10 min");
  job.sentence = "failed: rank 1 raised ValueError: x; y at train.py:4";
  EXPECT_EQ(job_note(job), "rank 1 raised ValueError: x; y at train.py:4");
}

// The sentences about a failure stand before the heading of the ranks that still run.
TEST(HangView, LocationsOfARestartedJob_FollowTheFailure) {
  JobView job;
  job.name = "job";
  job.state = "running";
  job.ranks.resize(1);
  job.ranks[0].name = "rank 0";
  job.ranks[0].phase = RankPhase::running;
  job.ranks[0].standing = RankLocation{"f (a.py:4)", "  Python thread 12\n    f (a.py:4)\n"};
  job.attempts.resize(2);
  job.attempts[0].cause = "rank 0 was killed by SIGKILL";
  job.attempts[0].culprit = 0;
  job.attempts[0].culprit_exit.kind = ExitStatus::Kind::signalled;
  job.attempts[0].culprit_exit.signal = SIGKILL;
  job.attempts[0].culprit_exit.trace = "The kernel killed a process for lack of memory at that time.";
  const std::string text = why_view(job, Style());
  const size_t where = text.find("Where its ranks are now:\n  rank 0: f (a.py:4)\n");
  ASSERT_NE(where, std::string::npos) << text;
  EXPECT_LT(text.find("for lack of memory"), where) << text;
  EXPECT_LT(text.find("evidence:"), where) << text;
}

}  // namespace
}  // namespace muster
