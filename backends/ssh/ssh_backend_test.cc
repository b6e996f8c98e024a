// SPDX-License-Identifier: Apache-2.0
#include "backends/ssh/ssh_backend.h"

#include "backends/ssh/scripted_hosts_test.h"
#include "backends/testing/conformance.h"

namespace muster {
namespace {

std::unique_ptr<BackendLab> make_ssh_lab() { return std::make_unique<SshLab>(); }

TEST_F(SshBackendTest, ANodeHasItsHostsAddress) {
  EXPECT_EQ(lab_.backend().address(node_), "10.0.0.2");
  EXPECT_EQ(lab_.backend().loopback(node_), "localhost");
  EXPECT_EQ(lab_.backend().loopback({node_.job, 0}), "127.0.0.1");
}

TEST_F(SshBackendTest, ALinkThatIsLostIsResumedAndNothingElseHappens) {
  up();
  lab_.hosts().end_links(lab_.hosts().tag_of(0), 255);
  lab_.wait(std::chrono::seconds(2));
  EXPECT_THAT(lab_.hosts().calls, testing::ElementsAre("mia@a2 --listen", "mia@a2 --resume"));
  hello(kFirstAgent, lab_.hosts().tag_of(0), node_);
  EXPECT_THAT(returned_, testing::ElementsAre(kFirstAgent));
  EXPECT_TRUE(lost_.empty());
  EXPECT_TRUE(remarks_.empty()) << "back within seconds";
}

TEST_F(SshBackendTest, StoppedAgent_IsKnownUntilItIsContinuedOrItsLinkEnds) {
  up();
  const std::string tag = lab_.hosts().tag_of(0);
  EXPECT_EQ(lab_.backend().stopped_agent(node_), std::nullopt);
  lab_.hosts().say_stopped(tag, 77);
  EXPECT_EQ(lab_.backend().stopped_agent(node_), 77);
  EXPECT_EQ(lab_.backend().stopped_agent({node_.job, 0}), std::nullopt);
  lab_.hosts().say_stopped(tag, std::nullopt);
  EXPECT_EQ(lab_.backend().stopped_agent(node_), std::nullopt);
  lab_.hosts().say_stopped(tag, 77);
  lab_.hosts().end_links(tag, 255);
  lab_.wait(Duration(0));
  EXPECT_EQ(lab_.backend().stopped_agent(node_), std::nullopt);
}

TEST_F(SshBackendTest, StoppedAgent_IsContinuedBesideItsLink) {
  up();
  lab_.backend().resume(node_);
  lab_.hosts().say_stopped(lab_.hosts().tag_of(0), 77);
  lab_.backend().resume(node_);
  lab_.backend().resume(node_);
  lab_.wait(std::chrono::seconds(1));
  EXPECT_THAT(lab_.hosts().calls, testing::ElementsAre("mia@a2 --listen", "mia@a2 --wake"));
  EXPECT_TRUE(lost_.empty());
  lab_.backend().resume(node_);
  lab_.wait(std::chrono::seconds(1));
  EXPECT_EQ(lab_.hosts().calls.size(), 3u) << "the first call has ended, and the agent is still stopped";
}

TEST_F(SshBackendTest, StoppedAgent_IsContinuedToLeave) {
  up();
  lab_.hosts().say_stopped(lab_.hosts().tag_of(0), 77);
  lab_.backend().release(node_);
  lab_.wait(std::chrono::seconds(1));
  EXPECT_THAT(lab_.hosts().calls, testing::ElementsAre("mia@a2 --listen", "mia@a2 --wake"));
  lab_.hosts().say_stopped(lab_.hosts().tag_of(0), std::nullopt);
  lab_.hosts().say_stopped(lab_.hosts().tag_of(0), 77);
  lab_.wait(std::chrono::seconds(1));
  EXPECT_EQ(lab_.hosts().calls.size(), 3u);
}

TEST_F(SshBackendTest, CodeIsThereBeforeTheAgent) {
  lab_.code = {std::string(32, 'c'), "/home/mia/code"};
  lab_.know(node_.job);
  up();
  EXPECT_THAT(lab_.hosts().calls, testing::ElementsAre("mia@a2 code cccc", "mia@a2 --listen"));
}

TEST_F(SshBackendTest, WithoutItsCodeANodeIsNotPlaced) {
  lab_.code = {std::string(32, 'c'), "/home/mia/code"};
  lab_.know(node_.job);
  lab_.hosts().refuse = true;
  lab_.backend().place(node_, [this](Result<PlacedAgent> agent) { placed_.push_back(std::move(agent)); });
  lab_.wait(std::chrono::seconds(1));
  ASSERT_EQ(placed_.size(), 1u);
  EXPECT_EQ(placed_[0].status().message(), "mia@a2: the ssh connection timed out; ssh -v it");
  EXPECT_TRUE(lab_.hosts().tags.empty());
}

TEST_F(SshBackendTest, AHostThatStaysAwayIsToldOnceAndNeverGivenUp) {
  up();
  lab_.hosts().refuse = true;
  lab_.hosts().end_links(lab_.hosts().tag_of(0), 255);
  lab_.wait(std::chrono::hours(24));
  EXPECT_TRUE(lost_.empty());
  EXPECT_THAT(remarks_,
              testing::ElementsAre(
                  "the link to mia@a2 is lost: the ssh connection timed out; ssh -v it; its ranks continue, and "
                  "muster reconnects"));
  EXPECT_GT(lab_.hosts().calls.size(), 24u * 60);
  lab_.hosts().refuse = false;
  lab_.wait(std::chrono::minutes(1));
  hello(kFirstAgent, lab_.hosts().tag_of(0), node_);
  EXPECT_EQ(remarks_.back(), "mia@a2 is reachable again");
}

TEST_F(SshBackendTest, WhatOnlyAPersonCanAnswerIsSaidSo) {
  up();
  lab_.hosts().refuse = true;
  lab_.hosts().trouble = {"it refused the ssh login", "ssh mia@a2", true};
  lab_.hosts().end_links(lab_.hosts().tag_of(0), 255);
  lab_.wait(std::chrono::minutes(1));
  EXPECT_THAT(
      remarks_,
      testing::ElementsAre("connecting to mia@a2 needs your input: it refused the ssh login; run muster attach train"));
  EXPECT_THAT(lab_.backend().asking_hosts(node_.job), testing::ElementsAre("mia@a2"));
  lab_.hosts().refuse = false;
  lab_.wait(std::chrono::minutes(1));
  hello(kFirstAgent, lab_.hosts().tag_of(0), node_);
  EXPECT_TRUE(lab_.backend().asking_hosts(node_.job).empty());
}

TEST_F(SshBackendTest, AHostWithoutTheAgentIsALostNode) {
  up();
  lab_.hosts().living.clear();
  lab_.hosts().end_links(lab_.hosts().tag_of(0), 255);
  lab_.wait(std::chrono::seconds(2));
  EXPECT_THAT(lost_, testing::ElementsAre(testing::HasSubstr("its agent no longer runs on mia@a2")));
}

TEST_F(SshBackendTest, ANodeThatWasUpIsWaitedForWhenItIsPlacedAgain) {
  up();
  lab_.die(0);
  lab_.wait(Duration(0));
  ASSERT_EQ(lost_.size(), 1u);
  lab_.hosts().refuse = true;
  lab_.hosts().calls.clear();
  lab_.backend().place(node_, [this](Result<PlacedAgent> agent) { placed_.push_back(std::move(agent)); });
  lab_.wait(std::chrono::hours(1));
  EXPECT_EQ(placed_.size(), 1u);
  EXPECT_THAT(remarks_, testing::ElementsAre("the job waits for mia@a2: the ssh connection timed out; ssh -v it"));
  EXPECT_EQ(lab_.hosts().calls[1], "mia@a2 --resume") << "the agent may have started";
  lab_.hosts().refuse = false;
  lab_.wait(std::chrono::minutes(1));
  EXPECT_EQ(lab_.hosts().calls.back(), "mia@a2 --listen");
  lab_.say_hello(1, std::make_unique<DismissibleChannel>(&dismissed_));
  ASSERT_EQ(placed_.size(), 2u);
  EXPECT_TRUE(placed_[1].ok());
  EXPECT_EQ(remarks_.back(), "mia@a2 is reachable again");
}

TEST_F(SshBackendTest, ANodeThatWasNeverUpIsNotWaitedFor) {
  lab_.hosts().refuse = true;
  lab_.backend().place(node_, [this](Result<PlacedAgent> agent) { placed_.push_back(std::move(agent)); });
  lab_.wait(Duration(0));
  ASSERT_EQ(placed_.size(), 1u);
  EXPECT_FALSE(placed_[0].ok());
}

TEST_F(SshBackendTest, WhatIsLeftOnAHostThatComesBackIsEndedAfterItsJob) {
  up();
  lab_.hosts().refuse = true;
  lab_.hosts().end_links(lab_.hosts().tag_of(0), 255);
  lab_.wait(std::chrono::minutes(5));
  lab_.backend().release(node_);
  lab_.wait(std::chrono::minutes(9));
  lab_.hosts().refuse = false;
  lab_.wait(std::chrono::minutes(2));
  EXPECT_TRUE(lab_.was_ended(0));
  EXPECT_TRUE(lab_.log.all.empty());
}

TEST_F(SshBackendTest, AHostThatDoesNotComeBackAfterItsJobIsGivenUpAndThatIsSaidOnce) {
  up();
  lab_.hosts().refuse = true;
  lab_.hosts().end_links(lab_.hosts().tag_of(0), 255);
  lab_.wait(std::chrono::minutes(1));
  lab_.backend().release(node_);
  lab_.backend().unclaim(node_.job);
  lab_.wait(std::chrono::hours(1));
  ASSERT_EQ(lab_.log.all.size(), 1u);
  EXPECT_THAT(lab_.log.all[0], testing::HasSubstr("host mia@a2 was unreachable for 10 min"));
}

TEST_F(SshBackendTest, AHostSpeaksForItsOwnNodeOnly) {
  const std::string token = up();
  lab_.reopen();
  lab_.know(node_.job);
  listen();
  lab_.backend().adopt(node_, token);
  lab_.wait(Duration(0));
  const std::string tag = lab_.hosts().tag_of(0);
  hello(kFirstAgent, "another link", node_);
  hello(kFirstAgent, tag, {node_.job, 0});
  hello(kFirstAgent + 5, tag, node_);
  EXPECT_TRUE(returned_.empty());
  hello(kFirstAgent, tag, node_);
  EXPECT_THAT(returned_, testing::ElementsAre(kFirstAgent));
}

TEST_F(SshBackendTest, AHangingAgentIsEndedWhereTheHostIsReached) {
  up();
  lab_.backend().end(node_);
  lab_.backend().end(node_);
  lab_.wait(Duration(0));
  EXPECT_TRUE(lab_.was_ended(0));
  EXPECT_EQ(lost_.size(), 1u);
}

TEST_F(SshBackendTest, AHostThatWasNotReachedExplainsTheSilenceAndItsAgentLives) {
  up();
  lab_.hosts().refuse = true;
  lab_.backend().end(node_);
  lab_.wait(std::chrono::minutes(1));
  lab_.hosts().refuse = false;
  lab_.wait(std::chrono::minutes(1));
  EXPECT_FALSE(lab_.was_ended(0));
  EXPECT_EQ(lab_.hosts().calls.back(), "mia@a2 --resume");
  EXPECT_TRUE(lost_.empty());
}

INSTANTIATE_TEST_SUITE_P(Ssh, BackendConformance, testing::Values(&make_ssh_lab));
INSTANTIATE_TEST_SUITE_P(Ssh, StarterConformance, testing::Values(&make_ssh_lab));

}  // namespace
}  // namespace muster
