// SPDX-License-Identifier: Apache-2.0
// The conformance suite that every backend passes (core/port/agent_placement.h). The test of a backend includes this file once,
// implements a BackendLab with fakes of the backend's ports, and instantiates:
//
//   INSTANTIATE_TEST_SUITE_P(Local, BackendConformance, testing::Values(&make_local_lab));
//   INSTANTIATE_TEST_SUITE_P(Local, StarterConformance, testing::Values(&make_local_lab));
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backends/testing/backend_lab.h"

namespace muster {

class BackendConformance : public testing::TestWithParam<std::unique_ptr<BackendLab> (*)()> {
 protected:
  BackendConformance() : lab_(GetParam()()) {
    Random random(7);
    node_ = {JobId::make(random), 0};
    other_ = {node_.job, 1};
    listen();
  }

  void listen() {
    lab_->know(node_.job);
    lab_->backend().on_lost(
        [this](const NodeRef& node, const std::string& reason) { lost_.emplace_back(node, reason); });
  }

  void place(const NodeRef& node) {
    lab_->placing(started_, node);
    agents_[node] = started_++;
    lab_->backend().place(node, [this](Result<PlacedAgent> agent) { placed_.push_back(std::move(agent)); });
    lab_->wait(Duration(0));
  }

  // Places an agent, which reports; returns its token.
  std::string up(const NodeRef& node) {
    place(node);
    hello(node);
    EXPECT_FALSE(placed_.empty());
    return placed_.empty() || !placed_.back().ok() ? "" : placed_.back()->token;
  }

  void hello(const NodeRef& node) {
    lab_->say_hello(agents_[node], std::make_unique<DismissibleChannel>(&dismissed_));
    lab_->wait(Duration(0));
  }

  void place_in_vain(const NodeRef& node) {
    lab_->refuse_places(true);
    place(node);
    lab_->refuse_places(false);
    --started_;
  }

  std::unique_ptr<BackendLab> lab_;
  NodeRef node_;
  NodeRef other_;
  std::map<NodeRef, size_t> agents_;
  size_t started_ = 0;
  std::vector<Result<PlacedAgent>> placed_;
  std::vector<std::pair<NodeRef, std::string>> lost_;
  bool dismissed_ = false;
};

// For backends that start agents. If agents connect by themselves, the backend sees none before its hello and ends none; then use
// GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(StarterConformance).
class StarterConformance : public BackendConformance {};

TEST_P(BackendConformance, APlacedAgentThatSaysHelloIsHandedOver) {
  place(node_);
  EXPECT_TRUE(placed_.empty());
  hello(node_);
  ASSERT_EQ(placed_.size(), 1u);
  ASSERT_TRUE(placed_[0].ok());
  EXPECT_NE(placed_[0]->agent.channel, nullptr);
  EXPECT_FALSE(placed_[0]->token.empty());
  EXPECT_FALSE(dismissed_);
  EXPECT_FALSE(lab_->backend().address(node_).empty());
}

TEST_P(BackendConformance, EachNodeGetsItsOwnAgent) {
  place(node_);
  place(other_);
  hello(other_);
  hello(node_);
  ASSERT_EQ(placed_.size(), 2u);
  ASSERT_TRUE(placed_[0].ok() && placed_[1].ok());
  EXPECT_NE(placed_[0]->token, placed_[1]->token);
}

TEST_P(BackendConformance, APlaceThatFailsSaysWhyInALaterTurn) {
  lab_->refuse_places(true);
  lab_->backend().place(node_, [this](Result<PlacedAgent> agent) { placed_.push_back(std::move(agent)); });
  EXPECT_TRUE(placed_.empty());
  lab_->wait(Duration(0));
  ASSERT_EQ(placed_.size(), 1u);
  EXPECT_FALSE(placed_[0].ok());
  EXPECT_FALSE(placed_[0].status().message().empty());
  EXPECT_TRUE(lost_.empty());
}

TEST_P(BackendConformance, AfterAFailedPlaceTheNodeCanBePlacedAgain) {
  place_in_vain(node_);
  up(node_);
  ASSERT_EQ(placed_.size(), 2u);
  EXPECT_TRUE(placed_[1].ok());
}

TEST_P(StarterConformance, AnAgentThatDiesBeforeHelloIsAFailedPlace) {
  place(node_);
  lab_->die(agents_[node_]);
  lab_->wait(Duration(0));
  ASSERT_EQ(placed_.size(), 1u);
  EXPECT_FALSE(placed_[0].ok());
  EXPECT_TRUE(lost_.empty());
}

TEST_P(BackendConformance, AnAgentThatDiesLaterIsALostNodeOnce) {
  up(node_);
  lab_->die(agents_[node_]);
  lab_->wait(std::chrono::minutes(1));
  ASSERT_EQ(lost_.size(), 1u);
  EXPECT_EQ(lost_[0].first, node_);
  EXPECT_FALSE(lost_[0].second.empty());
  EXPECT_EQ(placed_.size(), 1u);
}

TEST_P(BackendConformance, ALostNodeCanBePlacedAgain) {
  const std::string first = up(node_);
  lab_->die(agents_[node_]);
  lab_->wait(Duration(0));
  const std::string second = up(node_);
  EXPECT_NE(first, second);
  EXPECT_EQ(lost_.size(), 1u);
}

TEST_P(StarterConformance, AReleasedAgentThatStaysIsEnded) {
  up(node_);
  lab_->backend().release(node_);
  lab_->wait(std::chrono::seconds(1));
  EXPECT_FALSE(lab_->was_ended(agents_[node_])) << "it was dismissed and gets its grace";
  lab_->wait(std::chrono::minutes(1));
  EXPECT_TRUE(lab_->was_ended(agents_[node_]));
  EXPECT_TRUE(lost_.empty());
}

TEST_P(BackendConformance, AReleasedAgentThatGoesIsNotLost) {
  up(node_);
  lab_->backend().release(node_);
  lab_->die(agents_[node_]);
  lab_->wait(std::chrono::minutes(1));
  EXPECT_TRUE(lost_.empty());
  EXPECT_FALSE(lab_->was_ended(agents_[node_]))
      << "an ended process must not be signalled, because its pid may be reused";
}

TEST_P(StarterConformance, AReleaseBeforeHelloEndsTheAgentAndForgetsThePlace) {
  place(node_);
  lab_->backend().release(node_);
  lab_->wait(std::chrono::minutes(1));
  EXPECT_TRUE(lab_->was_ended(agents_[node_]));
  EXPECT_TRUE(placed_.empty());
  EXPECT_TRUE(lost_.empty());
}

TEST_P(StarterConformance, AHelloAfterTheReleaseIsSentAway) {
  place(node_);
  lab_->backend().release(node_);
  hello(node_);
  EXPECT_TRUE(dismissed_);
  EXPECT_TRUE(placed_.empty());
}

TEST_P(BackendConformance, ReleaseIsFineTwiceAndOfAnUnknownNode) {
  lab_->backend().release(other_);
  up(node_);
  lab_->backend().release(node_);
  lab_->backend().release(node_);
  lab_->wait(std::chrono::minutes(1));
  EXPECT_TRUE(lost_.empty());
}

TEST_P(BackendConformance, AStrangerThatSaysHelloIsSentAway) {
  place(node_);
  lab_->say_hello(started_, std::make_unique<DismissibleChannel>(&dismissed_));
  lab_->wait(Duration(0));
  EXPECT_TRUE(dismissed_);
  EXPECT_TRUE(placed_.empty());
}

TEST_P(BackendConformance, AnAdoptedAgentIsWatchedAsIfPlacedHere) {
  const std::string token = up(node_);
  placed_.clear();
  lab_->reopen();
  listen();
  lab_->backend().adopt(node_, token);
  lab_->wait(std::chrono::minutes(1));
  EXPECT_TRUE(lost_.empty());
  lab_->die(agents_[node_]);
  lab_->wait(Duration(0));
  ASSERT_EQ(lost_.size(), 1u);
  EXPECT_EQ(lost_[0].first, node_);
}

TEST_P(StarterConformance, AnAdoptedAgentIsReleasedLikeAnyOther) {
  const std::string token = up(node_);
  lab_->reopen();
  listen();
  lab_->backend().adopt(node_, token);
  lab_->backend().release(node_);
  lab_->wait(std::chrono::minutes(1));
  EXPECT_TRUE(lab_->was_ended(agents_[node_]));
  EXPECT_TRUE(lost_.empty());
}

TEST_P(BackendConformance, AdoptingAnAgentThatIsGoneIsALostNodeInALaterTurn) {
  const std::string token = up(node_);
  lab_->reopen();
  listen();
  lab_->die(agents_[node_]);
  lab_->backend().adopt(node_, token);
  EXPECT_TRUE(lost_.empty());
  lab_->wait(Duration(0));
  ASSERT_EQ(lost_.size(), 1u);
  EXPECT_EQ(lost_[0].first, node_);
}

TEST_P(BackendConformance, ATokenThatIsNoneIsALostNode) {
  lab_->backend().adopt(node_, "");
  lab_->wait(Duration(0));
  EXPECT_EQ(lost_.size(), 1u);
}

}  // namespace muster
