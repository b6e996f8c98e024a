// SPDX-License-Identifier: Apache-2.0
#include "backends/ssh/doctor/judge_needs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/client/doctor/told_test.h"

namespace muster {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

HostReport host(const std::string& name, const std::string& python, const std::string& torch) {
  HostReport report;
  report.host.name = name;
  report.facts = HostFacts{.host = name, .python = python, .torch = torch};
  return report;
}

const JobNeeds kTraining{"python3", {"torch"}, "train.py imports torch.distributed"};

TEST(JudgeNeeds, Host_LacksTheJobsInterpreter_ProblemWithTheCommand) {
  const auto found = judge_needs({host("a1", "3.11.2", "2.15.0"), host("a2", "", "")}, kTraining);
  EXPECT_THAT(told(found), ElementsAre("problem a2: python3 is not in the PATH of ssh commands"));
  EXPECT_EQ(found.at(0).mend, "ssh -t a2 sudo apt-get install python3");
  EXPECT_EQ(judge_needs({host("a2", "", "")}, JobNeeds{"python", {}, ""}).at(0).mend,
            "ssh -t a2 sudo apt-get install python-is-python3");
}

TEST(JudgeNeeds, Host_LacksTheJobsFramework_ProblemWithTheVersionOfTheOthers) {
  const auto found = judge_needs(
      {host("a1", "3.11.2", "2.15.0+cpu"), host("a2", "3.11.2", ""), host("a3", "3.11.2", "2.15.0")}, kTraining);
  EXPECT_THAT(told(found), ElementsAre("problem a2: torch is not installed for its python3"));
  EXPECT_EQ(found.at(0).effect, "train.py imports torch.distributed");
  EXPECT_EQ(found.at(0).mend, "ssh a2 python3 -m pip install torch==2.15.0");
}

TEST(JudgeNeeds, Job_NeedsNoPython_NothingIsReported) {
  EXPECT_THAT(judge_needs({host("a1", "", "")}, JobNeeds{}), IsEmpty());
}

TEST(JudgeNeeds, Job_Unknown_WhatPythonProgramsNeedIsANote) {
  const auto found = judge_needs({host("a1", "3.11.2", ""), host("a2", "", "")}, std::nullopt);
  EXPECT_THAT(told(found), ElementsAre("note a2: neither python nor python3 is in the PATH of ssh commands",
                                       "note torch: not installed on a1"));
  EXPECT_EQ(found.at(1).mend, "ssh a1 python3 -m pip install torch");
  EXPECT_THAT(judge_needs({host("a1", "3.11.2", ""), host("a2", "3.11.2", "2.15.0")}, std::nullopt), IsEmpty())
      << "judge_hosts() reports that the hosts differ";
}

TEST(JudgeNeeds, Versions_Differ_CommandInstallsTheUsualOne) {
  const std::vector<HostReport> reports = {host("a1", "3", "2.14.0"), host("a2", "3", "2.15.0"),
                                           host("a3", "3", "2.15.0")};
  EXPECT_EQ(install_one_version(reports, "torch", ""), "ssh a1 python3 -m pip install torch==2.15.0");
  EXPECT_EQ(install_one_version({host("a1", "3", "2.15.0+cpu"), host("a2", "3", "2.15.0+cu128")}, "torch", ""), "");
}

}  // namespace
}  // namespace muster
