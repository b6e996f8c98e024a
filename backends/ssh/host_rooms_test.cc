// SPDX-License-Identifier: Apache-2.0
#include "backends/ssh/host_rooms.h"

#include "backends/ssh/scripted_hosts_test.h"

namespace muster {
namespace {

// The resources that other users take on the hosts, as the hosts report them.
class HostsOfOthers : public SshBackendTest {
 protected:
  HostsOfOthers() {
    hosts_ = {{"a1"}, {"a2"}};
    hosts_[1].others = {{"bob's job llm, pid 7,", {{"GPU-0"}}, false, "bobs"}};
  }
  std::optional<std::vector<Holder>> ask() {
    const Plan plan;
    const std::map<std::string, std::string> environment;
    const JobOnNodes waiting{node_.job, "train", plan, hosts_, environment, {}, false};
    return lab_.backend().others_on(waiting, asked_, [this] { ++seen_; });
  }
  std::vector<JobHost> hosts_;
  TimePoint asked_ = lab_.loop().now();
  int seen_ = 0;
};

TEST_F(HostsOfOthers, WhatTheySaidAtSubmitCounts) {
  const auto others = ask();
  ASSERT_TRUE(others.has_value());
  ASSERT_EQ(others->size(), 1u);
  EXPECT_EQ(others->front().host, "a2");
  EXPECT_TRUE(lab_.hosts().calls.empty());
}

TEST_F(HostsOfOthers, AreAskedAgainAWhileLater) {
  lab_.wait(std::chrono::seconds(20));
  EXPECT_FALSE(ask().has_value());
  EXPECT_FALSE(ask().has_value());
  lab_.hosts().holders = {{"eve's python, pid 8,", {{"GPU-1"}}, true}};
  lab_.wait(Duration(0));
  EXPECT_EQ(seen_, 1);
  EXPECT_THAT(lab_.hosts().calls, testing::ElementsAre("a1 facts", "a2 facts"));
  const auto others = ask();
  ASSERT_TRUE(others.has_value());
  EXPECT_EQ(others->size(), 2u);
  EXPECT_EQ(others->front().who, "eve's python, pid 8,");
}

TEST_F(HostsOfOthers, OneThatDoesNotAnswerHoldsNobodyUp) {
  lab_.wait(std::chrono::seconds(20));
  lab_.hosts().refuse = true;
  EXPECT_FALSE(ask().has_value());
  lab_.wait(Duration(0));
  const auto others = ask();
  ASSERT_TRUE(others.has_value());
  EXPECT_EQ(others->front().who, "bob's job llm, pid 7,") << "as it said before";
}

TEST_F(HostsOfOthers, OurOwnJobsAreNoOthers) {
  hosts_[1].others[0].job = node_.job.text();
  EXPECT_TRUE(ask()->empty());
}

}  // namespace
}  // namespace muster
