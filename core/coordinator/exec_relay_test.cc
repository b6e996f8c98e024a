// SPDX-License-Identifier: Apache-2.0
#include "core/coordinator/exec_relay.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/port/line_channel_test.h"

namespace muster {
namespace {

class Relay : public testing::Test {
 protected:
  void open(NodeIndex node, Line& line) {
    ExecStart start;
    start.job = "nils";
    relay->open(node, start, std::make_unique<LineChannel>(line));
  }
  using Sent = std::pair<NodeIndex, ExecFrame>;

  std::vector<Sent> sent;
  Line a, b;
  std::optional<ExecRelay> relay{[this](NodeIndex node, const ExecFrame& frame) { sent.emplace_back(node, frame); }};
};

const ExecBytes kBytes{ExecStream::out, "x", false};

TEST_F(Relay, EachViewerHearsItsOwnExec) {
  open(3, a);
  open(3, b);
  ASSERT_EQ(sent.size(), 2u);
  EXPECT_NE(sent[0].second.id, sent[1].second.id);
  EXPECT_EQ(std::get<ExecStart>(sent[0].second.part).job, "") << "the agent has one job";
  relay->heard(3, {sent[1].second.id, kBytes});
  EXPECT_TRUE(a.seen.empty());
  EXPECT_EQ(b.seen, (std::vector<ExecFrame>{{0, kBytes}}));
  a.say({77, ExecTaken{ExecStream::out, 1}});
  EXPECT_EQ(sent[2], (Sent{3, {sent[0].second.id, ExecTaken{ExecStream::out, 1}}}));
}

TEST_F(Relay, Heard_FrameFromAnotherNode_IsDropped) {
  open(3, a);
  relay->heard(4, {sent[0].second.id, kBytes});
  EXPECT_TRUE(a.seen.empty());
}

TEST_F(Relay, AfterTheEndNothingIsHeld) {
  open(3, a);
  relay->heard(3, {sent[0].second.id, ExecEnd{}});
  EXPECT_TRUE(a.gone);
  EXPECT_EQ(a.seen.size(), 1u);
}

TEST_F(Relay, Close_AViewer_SendsExecLeave) {
  open(3, a);
  a.close(Status(Code::cancelled, "left"));
  EXPECT_EQ(sent.back().second, (ExecFrame{sent[0].second.id, ExecLeave{}}));
  EXPECT_TRUE(a.gone);
}

TEST_F(Relay, Lost_OneNode_EndsOnlyItsViewers) {
  open(3, a);
  open(4, b);
  relay->lost(3, "the link was lost");
  EXPECT_EQ(std::get<ExecEnd>(a.seen.back().part).why, "the link was lost");
  EXPECT_TRUE(a.gone && !b.gone);
}

TEST_F(Relay, ItsEndIsToldToAll) {
  open(3, a);
  relay.reset();
  EXPECT_EQ(std::get<ExecEnd>(a.seen.back().part).why, "the job has ended");
}

}  // namespace
}  // namespace muster
