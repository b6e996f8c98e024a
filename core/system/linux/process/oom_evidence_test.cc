// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/process/oom_evidence.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

constexpr int64_t kPid = 4117;
const KernelKill kOwn{kPid, "python3", uint64_t{2} << 30};
const KernelKill kOther{77, "chrome", 0};

std::string note(const OomFacts& facts) { return judge_kill(facts, kPid).note; }

TEST(OomEvidence, NoKillOnTheMachine_ItWasKilledFromOutside) {
  EXPECT_FALSE(judge_kill({false, std::nullopt, std::nullopt}, kPid).oom);
  EXPECT_EQ(note({false, std::nullopt, std::nullopt}),
            "The kernel killed no process for lack of memory, so the program itself or another process sent SIGKILL.");
}

TEST(OomEvidence, AKillInAnotherCgroup_IsNotIts) {
  EXPECT_FALSE(judge_kill({true, false, std::nullopt}, kPid).oom);
  EXPECT_TRUE(judge_kill({true, true, std::nullopt}, kPid).oom);
}

TEST(OomEvidence, TheKernelsLog_NamesTheProcess) {
  EXPECT_TRUE(judge_kill({true, std::nullopt, {{kOther, kOwn}}}, kPid).oom);
  EXPECT_EQ(note({true, std::nullopt, {{kOwn}}}),
            "The kernel's log says that it killed process 4117 (python3), which used 2 GiB, for lack of memory.");
  EXPECT_FALSE(judge_kill({true, std::nullopt, {{kOther}}}, kPid).oom);
  EXPECT_EQ(note({true, std::nullopt, {{kOther}}}),
            "The kernel killed process 77 (chrome), for lack of memory, but not this one, so the program itself or "
            "another process sent SIGKILL.");
}

TEST(OomEvidence, AKillWithoutALog_IsTakenForIts) {
  EXPECT_TRUE(judge_kill({true, std::nullopt, std::nullopt}, kPid).oom);
  EXPECT_NE(note({true, std::nullopt, std::nullopt}).find("kernel's log"), std::string::npos);
}

TEST(OomEvidence, WithoutCounts_SaysThatItIsNotKnown) {
  EXPECT_FALSE(judge_kill({}, kPid).oom);
  EXPECT_NE(note({}).find("not known"), std::string::npos);
}

TEST(OomEvidence, OfAnotherEnd_OnlyAKillIsTold) {
  EXPECT_EQ(note_on_others({false, std::nullopt, std::nullopt}), "");
  EXPECT_EQ(note_on_others({}), "");
  EXPECT_EQ(note_on_others({true, false, std::nullopt}), "");
  EXPECT_EQ(note_on_others({true, std::nullopt, {{kOwn}}}),
            "The kernel killed process 4117 (python3), which used 2 GiB, for lack of memory at that time.");
}

TEST(OomEvidence, WhatIsCounted_HasNotGrownYet) {
  OomEvidence evidence("");
  evidence.count();
  evidence.count();
  EXPECT_FALSE(evidence.facts().in_cgroup);
}

}  // namespace
}  // namespace muster
