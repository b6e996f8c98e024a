// SPDX-License-Identifier: Apache-2.0
#include "core/agent/peer_execs.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/port/line_channel_test.h"

namespace muster {
namespace {

struct SentPeers final : ChannelToCoordinator {
  void send(const AgentMessage& message) override { frames.push_back(std::get<PeerExec>(message).frame); }
  void listen(std::function<void(const CoordinatorMessage&)>, std::function<void(const Status&)>) override {}
  std::vector<ExecFrame> frames;
};

struct Door final : WorkerListener {
  std::string path() const override { return ""; }
  void restore() override {}
  void remove_beside(const std::string&) override {}
  void listen(OnCall, OnTrouble) override {}
  void serve_execs(OnExec on_exec) override { open = std::move(on_exec); }
  OnExec open;
};

class PeerExecsTest : public testing::Test {
 protected:
  PeerExecsTest() {
    execs.connect(&channel);
    execs.begin(2);
  }
  void open(Line& line, Attempt attempt = 2) {
    ExecStart start;
    start.job = "another";
    start.index = 3;
    start.viewer_attempt = attempt;
    door.open(start, std::make_unique<LineChannel>(line));
  }
  static ExecEnd end_in(const Line& line) { return std::get<ExecEnd>(line.seen.at(0).part); }

  Line a, b;
  SentPeers channel;
  Door door;
  PeerExecs execs{door};
};

TEST_F(PeerExecsTest, Open_OfTwoViewers_GivesEachItsOwnFrames) {
  open(a);
  open(b);
  ASSERT_EQ(channel.frames.size(), 2u);
  EXPECT_NE(channel.frames[0].id, channel.frames[1].id);
  EXPECT_EQ(std::get<ExecStart>(channel.frames[0].part).job, "") << "a rank reaches only its own job";
  const ExecBytes bytes{ExecStream::out, "x", false};
  execs.heard({{channel.frames[1].id, bytes}});
  EXPECT_TRUE(a.seen.empty());
  EXPECT_EQ(b.seen, (std::vector<ExecFrame>{{0, bytes}}));
  a.say({9, ExecSignal{15}});
  EXPECT_EQ(channel.frames[2], (ExecFrame{channel.frames[0].id, ExecSignal{15}}));
}

TEST_F(PeerExecsTest, Open_OfAViewerOfAnEarlierAttempt_IsRefused) {
  open(a, 1);
  EXPECT_TRUE(channel.frames.empty());
  EXPECT_TRUE(end_in(a).why.starts_with("attempt 1 of the rank has ended")) << end_in(a).why;
}

TEST_F(PeerExecsTest, Heard_TheEnd_ClosesTheViewer) {
  open(a);
  execs.heard({{channel.frames[0].id, ExecEnd{}}});
  EXPECT_TRUE(a.gone);
  execs.heard({{channel.frames[0].id, ExecEnd{}}});
}

TEST_F(PeerExecsTest, Close_ByTheViewer_EndsTheProgram) {
  open(a);
  const auto close = a.close;
  close(Status(Code::cancelled, ""));
  EXPECT_TRUE(a.gone);
  EXPECT_EQ(channel.frames.back(), (ExecFrame{channel.frames[0].id, ExecLeave{}}));
}

TEST_F(PeerExecsTest, Connect_WithoutALink_TellsEachViewerAndRefusesNewOnes) {
  open(a);
  execs.connect(nullptr);
  EXPECT_EQ(end_in(a).code, static_cast<int>(Code::unavailable));
  EXPECT_TRUE(a.gone);
  open(b);
  EXPECT_EQ(end_in(b).code, static_cast<int>(Code::unavailable));
  EXPECT_EQ(channel.frames.size(), 1u);
}

}  // namespace
}  // namespace muster
