// SPDX-License-Identifier: Apache-2.0
#include "backends/ssh/doctor/judge_hosts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/text.h"
#include "core/client/doctor/told_test.h"

namespace muster {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

HostReport well(const std::string& name) {
  HostReport report;
  report.host.name = name;
  report.folder = "/home/mia/.cache/muster";
  report.facts = HostFacts{.host = name, .machine = "boot " + name, .cpus = 8};
  report.facts->disk_free_bytes = 100ULL << 30;
  report.facts->python = "3.11.2";
  report.facts->torch = "2.14.0";
  return report;
}

TEST(JudgeHosts, NothingIsSaidOfHostsThatAreWell) {
  EXPECT_THAT(told(judge_hosts({well("a"), well("b")})), IsEmpty());
  EXPECT_EQ(judge_hosts({well("a"), well("b")}).size(), 2u) << "only that they are fine";
}

TEST(JudgeHosts, EachSaysWhatStandsInAJobsWay) {
  HostReport a = well("a");
  a.facts->disk_free_bytes = 1 << 20;
  a.ahead = std::chrono::seconds(-5);
  a.facts->proxy = "http_proxy";
  a.facts->gpu_users = {"bob's python (pid 8)"};
  HostReport b;
  b.host.name = "b";
  b.trouble = {"it refused the ssh login", "ssh b", false};
  EXPECT_THAT(told(judge_hosts({a, b})),
              ElementsAre("problem a: 1 MiB free in /home/mia/.cache/muster",
                          "note a: its clock is 5.0 s behind this machine's",
                          "note a: http_proxy is set there, and no_proxy lacks localhost or 127.0.0.1",
                          "note a: its GPUs are in use: bob's python (pid 8)", "problem b: it refused the ssh login"));
}

TEST(JudgeHosts, PackagesThatDifferAreNamed) {
  HostReport a = well("a");
  HostReport b = well("b");
  a.facts->packages = {{"numpy", "1.26.4"}, {"nvidia-nccl-cu12", "2.20.5"}, {"jax", "0.4"}};
  b.facts->packages = {{"numpy", "2.0.1"}, {"nvidia-nccl-cu12", "2.21.5"}, {"jax", "0.4"}};
  EXPECT_THAT(told(judge_hosts({a, b})),
              ElementsAre("note numpy: hosts differ: 1.26.4 on a; 2.0.1 on b",
                          "problem nvidia-nccl-cu12: hosts differ: 2.20.5 on a; 2.21.5 on b"));
}

TEST(JudgeHosts, FewWhoMayKnockAtOnceAreANote) {
  HostReport a = well("a");
  a.facts->max_startups = "3:30:60";
  EXPECT_THAT(told(judge_hosts({a})), ElementsAre("note a: MaxStartups is 3:30:60 in its sshd_config"));
  a.facts->max_startups = "10:30:100";
  EXPECT_THAT(told(judge_hosts({a})), IsEmpty());
}

TEST(JudgeHosts, AClockWithinWhatIsKnownOfItIsRight) {
  HostReport a = well("a");
  a.ahead = std::chrono::seconds(5);
  a.unsure = std::chrono::seconds(4);
  EXPECT_THAT(told(judge_hosts({a})), IsEmpty());
}

TEST(JudgeHosts, WhatDiffersIsTold) {
  HostReport b = well("b");
  b.facts->python = "3.12.1";
  b.facts->torch = "2.15.0";
  b.facts->driver = "550.1";
  b.facts->machine = "boot a";
  EXPECT_THAT(told(judge_hosts({well("a"), b})), ElementsAre("problem b: it is the same machine as a",
                                                             "note python: hosts differ: 3.11.2 on a; 3.12.1 on b",
                                                             "problem torch: hosts differ: 2.14.0 on a; 2.15.0 on b",
                                                             "note gpu driver: hosts differ: none on a; 550.1 on b"));
}

TEST(JudgeHosts, Package_NeededAndMissing_IsReportedOnce) {
  HostReport b = well("b");
  b.facts->torch = "";
  EXPECT_THAT(told(judge_hosts({well("a"), b}, JobNeeds{"python3", {"torch"}, ""})),
              ElementsAre("problem b: torch is not installed for its python3"));
  EXPECT_THAT(told(judge_hosts({well("a"), b})), ElementsAre("problem torch: hosts differ: none on b; 2.14.0 on a"));
}

TEST(JudgeHosts, WaysThatAreClosedAreNamedByTheirPair) {
  EXPECT_THAT(told(judge_ways({{"a", "b", "no answer within 3 s"}, {"c", "", "no answer within 30 s"}}, 3)),
              ElementsAre("problem a → b: no connection to TCP ports 20000-27999: no answer within 3 s",
                          "problem c: connections to the other hosts were not tested: no answer within 30 s"));
  EXPECT_THAT(told(judge_ways({}, 3)), IsEmpty());
  EXPECT_EQ(judge_ways({}, 1).size(), 0u) << "one host has no connections to test";
}

}  // namespace
}  // namespace muster
