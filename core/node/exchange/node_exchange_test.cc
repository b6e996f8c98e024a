// SPDX-License-Identifier: Apache-2.0
// Nodes 0 and 4 exchange values over a true rendezvous. A test cuts their links and replaces the coordinator.
#include "core/node/exchange/node_exchange.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>

#include "core/attempt/rendezvous_server.h"

namespace muster {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Strings = std::vector<std::string>;

class TimedLoop final : public Loop {
 public:
  TimePoint now() const override { return now_; }
  void post(std::function<void()> work) override { at(now_, std::move(work)); }
  TimerId at(TimePoint when, std::function<void()> work) override {
    work_[{when, ++last_}] = std::move(work);
    return last_;
  }
  void cancel(TimerId timer) override {
    std::erase_if(work_, [&](const auto& each) { return each.first.second == timer; });
  }
  // Runs what is due within a second.
  void run() {
    const TimePoint end = now_ + std::chrono::seconds(1);
    while (!work_.empty() && work_.begin()->first.first <= end) {
      now_ = std::max(now_, work_.begin()->first.first);
      const auto work = work_.extract(work_.begin());
      work.mapped()();
    }
    now_ = end;
  }

 private:
  TimePoint now_ = TimePoint(Duration(1));
  TimerId last_ = 0;
  std::map<std::pair<TimePoint, TimerId>, std::function<void()>> work_;
};

class NodeExchangeTest : public testing::Test {
 protected:
  // A node, and its agent's link to the coordinator.
  struct Node {
    uint32_t index = 0;
    uint64_t channel = 0;      // 0: the link is cut
    bool loses_waits = false;  // answers of `wait` are lost on their way
    std::map<uint64_t, std::pair<RendezvousCall, std::function<void(const RendezvousAnswer&)>>> asked;
    std::unique_ptr<NodeExchange> exchange;
    std::vector<Strings> met;
    Status failure;
  };

  NodeExchangeTest() {
    begin(false);
    for (const uint32_t index : {0u, 1u}) {
      Node& node = nodes_[index];
      node.index = index;
      node.exchange = std::make_unique<NodeExchange>(
          loop_, [this, &node](const RendezvousCall& call, const auto& answer) { ask(node, call, answer); },
          std::vector<MpiNode>{{"a", {0, 1, 2, 3}}, {"b", {4}}}, index);
      link(node);
    }
  }

  void begin(bool taken_over) {
    server_ = std::make_unique<RendezvousServer>(loop_);
    std::vector<RendezvousMember> members;
    for (Rank rank = 0; rank < 5; ++rank) members.push_back({0, rank, "rank " + std::to_string(rank)});
    server_->begin(members, 1, taken_over);
  }
  void ask(Node& node, const RendezvousCall& call, const std::function<void(const RendezvousAnswer&)>& answer) {
    if (node.channel == 0) return answer({Status(Code::unavailable, "the coordinator is not connected"), "", {}});
    node.asked[++last_id_] = {call, answer};
    server_->ask(node.channel, {last_id_, 1, 4 * node.index, call});
  }
  void link(Node& node) {
    node.channel = server_->connect([this, &node](const RendezvousReply& reply) {
      const auto found = node.asked.find(reply.id);
      const bool lost =
          found == node.asked.end() || (node.loses_waits && found->second.first.kind == RendezvousCall::Kind::wait);
      if (lost) return;
      const auto answer = node.asked.extract(found).mapped().second;
      loop_.post([answer, reply] { answer(reply.answer); });
    });
  }
  void cut(Node& node) {
    server_->disconnect(node.channel);
    node.channel = 0;
    node.loses_waits = false;
    for (const auto& [id, asked] : std::exchange(node.asked, {}))
      asked.second({Status(Code::unavailable, "the link was lost"), "", {}});
  }
  void meet(Node& node, uint64_t number, const std::string& value) {
    node.exchange->meet({"x", number, value, {0, 4}}, [&node](const Status& status, const Strings& values) {
      status.ok() ? node.met.push_back(values) : static_cast<void>(node.failure = status);
    });
  }
  // In round 1, only `second` learns that all have met, and goes on to round 2.
  void lose_an_answer() {
    first.loses_waits = true;
    meet(first, 1, "a1");
    meet(second, 1, "b1");
    loop_.run();
    ASSERT_THAT(first.met, IsEmpty());
    ASSERT_THAT(second.met, ElementsAre(ElementsAre("a1", "b1")));
    meet(second, 2, "b2");
    loop_.run();
  }
  void expect_both_go_on() {
    loop_.run();
    ASSERT_THAT(first.met, ElementsAre(ElementsAre("a1", "b1")));
    meet(first, 2, "a2");
    loop_.run();
    EXPECT_THAT(first.met.back(), ElementsAre("a2", "b2"));
    EXPECT_THAT(second.met.back(), ElementsAre("a2", "b2"));
  }
  Strings keys() {
    Strings found;
    ask(second, {RendezvousCall::Kind::list, "x", "", "", 0, {}, Duration(0)},
        [&](const RendezvousAnswer& answer) { found = answer.values; });
    loop_.run();
    return found;
  }

  TimedLoop loop_;
  uint64_t last_id_ = 0;
  std::unique_ptr<RendezvousServer> server_;
  Node nodes_[2];
  Node& first = nodes_[0];
  Node& second = nodes_[1];
};

TEST_F(NodeExchangeTest, Nodes_InAnyOrder_GetAllValuesByRank) {
  meet(second, 1, "b1");
  loop_.run();
  EXPECT_THAT(second.met, IsEmpty());
  meet(first, 1, "a1");
  loop_.run();
  EXPECT_THAT(first.met, ElementsAre(ElementsAre("a1", "b1")));
  EXPECT_EQ(first.met, second.met);
}

TEST_F(NodeExchangeTest, ANodeDoesNotCome_ItsRanksAreNamed) {
  meet(second, 1, "b1");
  loop_.run();
  ASSERT_TRUE(server_->longest_open());
  EXPECT_EQ(server_->longest_open()->sentence,
            "MPI_Init or MPI_Finalize waits for rank 0, rank 1, rank 2 and rank 3 (4 of 5)");
  meet(first, 1, "a1");
  loop_.run();
  EXPECT_FALSE(server_->longest_open()) << "the call that watches the link waits for nobody";
}

TEST_F(NodeExchangeTest, AnAnswerIsLost_AfterTheOtherHasGoneOn_BothGoOn) {
  lose_an_answer();
  cut(first);
  link(first);
  expect_both_go_on();
}

TEST_F(NodeExchangeTest, TheNextCoordinator_KnowsNoKeys_BothGoOn) {
  lose_an_answer();
  cut(first);
  cut(second);
  begin(true);
  link(second);
  loop_.run();
  link(first);
  expect_both_go_on();
}

TEST_F(NodeExchangeTest, TheNextCoordinator_FindsANodeThatWaitsForNothing_BothGoOn) {
  first.loses_waits = true;
  meet(first, 1, "a1");
  meet(second, 1, "b1");
  loop_.run();
  ASSERT_EQ(second.met.size(), 1u);
  cut(first);
  cut(second);
  begin(true);
  link(first);
  link(second);
  loop_.run();
  EXPECT_THAT(first.met, ElementsAre(ElementsAre("a1", "b1")));
}

TEST_F(NodeExchangeTest, ManyRounds_KeepTheKeysOfTheLastTwo) {
  for (uint64_t number = 1; number <= 5; ++number) {
    meet(first, number, "a");
    meet(second, number, "b");
    loop_.run();
  }
  EXPECT_EQ(first.met.size(), 5u);
  EXPECT_THAT(keys(), ElementsAre("x/4/0", "x/4/4", "x/5/0", "x/5/4"));
}

TEST_F(NodeExchangeTest, AKeptKey_IsSetAlsoForTheNextCoordinator) {
  first.exchange->keep("k", "v", [](const Status&) { FAIL(); });
  loop_.run();
  cut(first);
  begin(true);
  link(first);
  loop_.run();
  cut(second);
  link(second);
  std::string value;
  ask(second, {RendezvousCall::Kind::get, "k", "", "", 0, {}, Duration(0)},
      [&](const RendezvousAnswer& answer) { value = answer.value; });
  loop_.run();
  EXPECT_EQ(value, "v");
}

TEST_F(NodeExchangeTest, TheAttemptEnds_IsTold) {
  meet(first, 1, "a1");
  server_->end(1, "rank 3 failed");
  loop_.run();
  EXPECT_EQ(first.failure.code(), Code::failed_precondition);
}

TEST_F(NodeExchangeTest, ATooLargeValue_IsTold) {
  meet(first, 1, std::string((1 << 20) + 1, 'x'));
  loop_.run();
  EXPECT_EQ(first.failure.code(), Code::invalid_argument);
}

}  // namespace
}  // namespace muster
