// SPDX-License-Identifier: Apache-2.0
// Hosts that cannot be reached at once, agents that do not report, and agents of earlier placements.
#include "backends/ssh/scripted_hosts_test.h"

namespace muster {
namespace {

TEST_F(SshBackendTest, TroubleThatMayPassIsWaitedOut) {
  lab_.hosts().refuse = true;
  lab_.hosts().trouble.passes = true;
  lab_.backend().place(node_, [this](Result<PlacedAgent> agent) { placed_.push_back(std::move(agent)); });
  lab_.wait(std::chrono::minutes(1));
  EXPECT_TRUE(placed_.empty());
  EXPECT_THAT(remarks_, testing::ElementsAre("the job waits for mia@a2: the ssh connection timed out; ssh -v it"));
  lab_.hosts().refuse = false;
  lab_.wait(std::chrono::minutes(1));
  lab_.say_hello(0, std::make_unique<DismissibleChannel>(&dismissed_));
  ASSERT_EQ(placed_.size(), 1u);
  EXPECT_TRUE(placed_[0].ok());
}

TEST_F(SshBackendTest, TroubleThatDoesNotPassAfterAllFailsThePlace) {
  lab_.hosts().refuse = true;
  lab_.hosts().trouble.passes = true;
  lab_.backend().place(node_, [this](Result<PlacedAgent> agent) { placed_.push_back(std::move(agent)); });
  lab_.wait(std::chrono::minutes(3));
  ASSERT_EQ(placed_.size(), 1u);
  EXPECT_EQ(placed_[0].status().message(), "mia@a2: the ssh connection timed out; ssh -v it");
}

TEST_F(SshBackendTest, AnAgentThatDoesNotSayHelloIsToldWithItsHostAndEnded) {
  lab_.backend().place(node_, [this](Result<PlacedAgent> agent) { placed_.push_back(std::move(agent)); });
  lab_.wait(std::chrono::seconds(30));
  EXPECT_TRUE(placed_.empty());
  EXPECT_THAT(remarks_, testing::ElementsAre("connected to mia@a2 by ssh, but its agent has not reported within 20 s"));
  lab_.wait(std::chrono::seconds(40));
  ASSERT_EQ(placed_.size(), 1u);
  EXPECT_THAT(placed_[0].status().message(), testing::HasSubstr("mia@a2: connected by ssh, but no agent reported"));
  EXPECT_TRUE(lab_.was_ended(0));
}

TEST_F(SshBackendTest, WhereAHostIsWaitedForAnotherAgentIsTriedOnceTheSilentOneIsEnded) {
  up();
  lab_.die(0);
  lab_.wait(Duration(0));
  lab_.backend().place(node_, [this](Result<PlacedAgent> agent) { placed_.push_back(std::move(agent)); });
  lab_.wait(std::chrono::seconds(70));
  EXPECT_TRUE(lab_.was_ended(1));
  ASSERT_EQ(lab_.hosts().tags.size(), 3u);
  lab_.say_hello(2, std::make_unique<DismissibleChannel>(&dismissed_));
  ASSERT_EQ(placed_.size(), 2u);
  EXPECT_TRUE(placed_[1].ok());
}

TEST_F(SshBackendTest, ANodeIsPlacedAnewOnlyOnceItsAgentOfBeforeIsEnded) {
  up();
  lab_.hosts().refuse = true;
  lab_.hosts().end_links(lab_.hosts().tag_of(0), 255);
  lab_.wait(std::chrono::minutes(1));
  lab_.backend().release(node_);
  lab_.backend().place(node_, [this](Result<PlacedAgent> agent) { placed_.push_back(std::move(agent)); });
  lab_.wait(std::chrono::hours(1));
  EXPECT_EQ(placed_.size(), 1u);
  EXPECT_EQ(remarks_.back(), "the job waits for mia@a2: the ssh connection timed out; ssh -v it");
  EXPECT_TRUE(lab_.log.all.empty()) << "a host that the next placement waits for is not given up";
  lab_.hosts().refuse = false;
  lab_.hosts().calls.clear();
  lab_.wait(std::chrono::minutes(1));
  EXPECT_THAT(lab_.hosts().calls, testing::ElementsAre("mia@a2 --end", "mia@a2 --listen"));
  EXPECT_TRUE(lab_.was_ended(0));
  lab_.say_hello(1, std::make_unique<DismissibleChannel>(&dismissed_));
  ASSERT_EQ(placed_.size(), 2u);
  EXPECT_TRUE(placed_[1].ok());
}

TEST_F(SshBackendTest, WhatIsPlacedBehindOneThatIsEndedAndReleasedBeginsNothing) {
  up();
  lab_.hosts().refuse = true;
  lab_.hosts().end_links(lab_.hosts().tag_of(0), 255);
  lab_.wait(std::chrono::minutes(1));
  lab_.backend().release(node_);
  lab_.backend().place(node_, [this](Result<PlacedAgent> agent) { placed_.push_back(std::move(agent)); });
  lab_.backend().release(node_);
  lab_.hosts().refuse = false;
  lab_.wait(std::chrono::minutes(1));
  EXPECT_TRUE(lab_.was_ended(0));
  EXPECT_EQ(lab_.hosts().tags.size(), 1u);
  EXPECT_EQ(placed_.size(), 1u);
}

}  // namespace
}  // namespace muster
