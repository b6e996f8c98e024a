// SPDX-License-Identifier: Apache-2.0
#include "backends/arrivals/arrivals.h"

#include <gtest/gtest.h>

#include "test/sim/sim_loop.h"

namespace muster {
namespace {

// The messages that an agent received while the test watched.
struct Heard {
  std::vector<CoordinatorMessage> messages;
  std::function<void(const Status&)> on_closed;
  bool gone = false;
};

class HeardChannel final : public ChannelToAgent {
 public:
  explicit HeardChannel(std::shared_ptr<Heard> heard) : heard_(std::move(heard)) {}
  ~HeardChannel() override { heard_->gone = true; }
  void send(const CoordinatorMessage& message) override { heard_->messages.push_back(message); }
  void listen(std::function<void(const AgentMessage&)>, std::function<void(const Status&)> on_closed) override {
    heard_->on_closed = std::move(on_closed);
  }

 private:
  std::shared_ptr<Heard> heard_;
};

class ArrivedAgents : public testing::Test {
 protected:
  Arrivals::Ticket add(std::function<void(Arrivals::Ticket)> left = nullptr) {
    heard_ = std::make_shared<Heard>();
    return arrivals_.add({std::make_unique<HeardChannel>(heard_), {}, "10.0.0.2"}, std::move(left));
  }

  sim::SimLoop loop_;
  Arrivals arrivals_{loop_};
  std::shared_ptr<Heard> heard_;  // of the newest agent
};

TEST_F(ArrivedAgents, Take_Waiting_HandsItOverOnce) {
  const auto ticket = add();
  ASSERT_NE(arrivals_.find(ticket), nullptr);
  EXPECT_EQ(arrivals_.find(ticket)->peer, "10.0.0.2");
  const auto agent = arrivals_.take(ticket);
  ASSERT_TRUE(agent);
  EXPECT_NE(agent->channel, nullptr);
  EXPECT_EQ(arrivals_.find(ticket), nullptr);
  EXPECT_FALSE(arrivals_.take(ticket));
}

TEST_F(ArrivedAgents, ChannelClosed_Waiting_TellsAndKeepsIt) {
  std::vector<Arrivals::Ticket> left;
  const auto ticket = add([&](Arrivals::Ticket who) { left.push_back(who); });
  heard_->on_closed(Status(Code::unavailable, "closed"));
  EXPECT_EQ(left, std::vector{ticket});
  EXPECT_NE(arrivals_.find(ticket), nullptr);
}

TEST_F(ArrivedAgents, ChannelClosed_AfterSendAway_TellsNobody) {
  bool told = false;
  const auto ticket = add([&](Arrivals::Ticket) { told = true; });
  arrivals_.dismiss_agent(ticket, "the job has ended");
  ASSERT_EQ(heard_->messages.size(), 1u);
  EXPECT_EQ(std::get<Dismiss>(heard_->messages[0]).why, "the job has ended");
  heard_->on_closed(Status(Code::unavailable, "closed"));
  EXPECT_FALSE(told);
}

TEST_F(ArrivedAgents, Forget_InsideTheChannelsHandler_DestroysItInALaterTurn) {
  const auto ticket = add([&](Arrivals::Ticket who) { arrivals_.forget(who); });
  heard_->on_closed(Status(Code::unavailable, "closed"));
  EXPECT_EQ(arrivals_.find(ticket), nullptr);
  EXPECT_FALSE(heard_->gone);
  loop_.run_for(Duration(0));
  EXPECT_TRUE(heard_->gone);
}

TEST_F(ArrivedAgents, Speak_ManyWait_AllHearIt) {
  add();
  const auto first = heard_;
  add();
  arrivals_.speak();
  EXPECT_EQ(first->messages.size(), 1u);
  EXPECT_EQ(heard_->messages.size(), 1u);
}

TEST(ShownName, LongOrUnprintable_IsCutAndEscaped) {
  EXPECT_EQ(shown_name("a\x1b[2J"), "a\\x1b[2J");
  EXPECT_EQ(shown_name(std::string(300, 'a')), std::string(255, 'a'));
}

}  // namespace
}  // namespace muster
