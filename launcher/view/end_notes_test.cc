// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "core/client/view/status_lines.h"
#include "launcher/view/describe_view.h"
#include "launcher/view/why_view.h"

namespace muster {
namespace {

const std::string kCutOff =
    "the torch store on node-a closed a client's connection: a request has 5 keys; the limit is 4";

JobView job_with(std::vector<std::string> troubles) {
  JobView job;
  job.name = "train-7f2";
  job.state = "succeeded";
  job.done = true;
  job.troubles = std::move(troubles);
  return job;
}

TEST(EndNotes, TellWhatTheStoreWouldNotHave) {
  const JobView job = job_with({kCutOff});
  EXPECT_EQ(end_lines(job, Style()), "train-7f2  succeeded\nnote:  " + kCutOff + "\n");
  EXPECT_EQ(why_view(job, Style()), "train-7f2 succeeded; nothing failed.\nNote: " + kCutOff + ".\n");
  EXPECT_NE(describe_view(job, Style()).find(kCutOff), std::string::npos);
}

TEST(EndNotes, Loss_OfALeftover_IsToldByAllViews) {
  const std::string loss = "rank 0 left `sh upload.sh` (pid 17) running; muster ended it 5 s after the last rank";
  const JobView job = job_with({loss});
  EXPECT_EQ(end_lines(job, Style()), "train-7f2  succeeded\nlost:  " + loss + "\n");
  EXPECT_EQ(why_view(job, Style()), "train-7f2 succeeded, but something was lost.\nLost: " + loss + ".\n");
  EXPECT_NE(describe_view(job, Style()).find("lost"), std::string::npos);
}

TEST(EndNotes, TellTheFirstOfTheStoreAndTheLastThatWasLost) {
  const JobView job =
      job_with({kCutOff, "a was lost", kCutOff + " again", "b was lost", "ranks are started without warm imports: x"});
  EXPECT_EQ(end_notes(job), "lost:  b was lost\nnote:  " + kCutOff + "\n");
}

TEST(EndNotes, AreNoneWhereNothingIsToBeTold) { EXPECT_EQ(end_notes(job_with({})), ""); }

}  // namespace
}  // namespace muster
