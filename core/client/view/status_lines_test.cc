// SPDX-License-Identifier: Apache-2.0
#include "core/client/view/status_lines.h"

#include <gtest/gtest.h>

#include "core/client/follow/follow_fakes.h"
#include "core/port/output_messages.h"

namespace muster {
namespace {

TEST(GpuNote, SaysWhyRanksRunOnCpus) {
  JobView job = view_of(2);
  job.ranks[0].gpus = {"GPU-0"};
  JobSpec spec;
  spec.groups.emplace_back();
  const auto note = [&](size_t gpus) { return gpu_note(spec, job, [=] { return gpus; }); };
  EXPECT_EQ(note(1), "");
  for (RankView& rank : job.ranks) rank.gpus.clear();
  EXPECT_EQ(note(1), "on CPUs: 2 ranks, but only 1 GPU");
  EXPECT_EQ(note(2), "");
  EXPECT_EQ(note(0), "");
  spec.framework = Framework::torch;
  EXPECT_EQ(note(0), "no GPU seen");
  spec.framework = Framework::plain;
  spec.groups[0].workers.automatic = true;
  EXPECT_EQ(note(0), "no GPU seen");
  spec.groups[0] = {};
  spec.groups[0].worker.gpus = {false, 0};
  EXPECT_EQ(note(1), "");
  spec.groups[0].worker.gpus.automatic = true;
  spec.backend = BackendKind::ssh;
  EXPECT_EQ(note(1), "");
}

TEST(RankFlag, HasTheGroupIfTheNameHasIt) {
  JobView job = view_of(2);
  job.ranks[0].name = "rank 0";
  job.ranks[1].name = "trainer 3";
  job.ranks[1].group = "trainer";
  job.ranks[1].rank = 3;
  EXPECT_EQ(rank_flag(job, 0), " --rank 0");
  EXPECT_EQ(rank_flag(job, 1), " --rank trainer/3");
  EXPECT_EQ(rank_flag(job, 2), "");
  EXPECT_EQ(rank_flag(job, {}), "");
}

TEST(LossesOf, OutputThatWaited_IsNotLost) {
  JobView job = view_of(1);
  job.troubles = {std::string(kOutputWaits) + "files: the disk is full", "dropped the oldest 1 MiB"};
  EXPECT_EQ(losses_of(job), (std::vector<std::string>{"dropped the oldest 1 MiB"}));
  EXPECT_TRUE(remarks_of(job).empty());
  const std::string times = std::string(kTimesMissing) + "the disk is full";
  job.troubles = {times};
  EXPECT_TRUE(losses_of(job).empty());
  EXPECT_EQ(remarks_of(job), (std::vector<std::string>{times}));
}

TEST(InterruptQuestion, FitsARow) {
  for (const auto grace : {std::chrono::seconds(0), std::chrono::seconds(30), std::chrono::seconds(3599)}) {
    EXPECT_LE(display_width(interrupt_question(grace)), 80u);
    for (size_t columns = 22; columns < 100; ++columns)
      EXPECT_LE(display_width(interrupt_question(grace, columns)), columns);
  }
  EXPECT_EQ(interrupt_question(std::chrono::seconds(30), 70),
            "d detach   s or Ctrl-C stop (30 s to save)   k kill  [d in 5 s]");
  EXPECT_EQ(interrupt_question(std::chrono::seconds(30), 40), "d detach  s stop  k kill  [d in 5 s]");
  EXPECT_EQ(interrupt_question(std::chrono::seconds(30), 40, 2), "d detach  s stop  k kill  [d in 2 s]");
}

}  // namespace
}  // namespace muster
