// SPDX-License-Identifier: Apache-2.0
// Cases that do not fit into scenarios (test/scenario/rendezvous): large worlds, unusual names, the cost of the indices.

#include "core/machine/rendezvous/rendezvous.h"

#include <gtest/gtest.h>

namespace muster::rendezvous {
namespace {

using Kind = RendezvousCall::Kind;
using std::chrono::seconds;

class RendezvousMachine : public testing::Test {
 protected:
  std::vector<Action> apply(const Event& event) {
    Step result = step(std::move(state_), now_, event);
    state_ = std::move(result.next);
    return result.actions;
  }

  void begin(size_t ranks) {
    std::vector<std::string> members;
    for (size_t rank = 0; rank < ranks; ++rank) members.push_back("rank " + std::to_string(rank));
    apply(Begun{state_.attempt + 1, {members}, ""});
  }

  std::vector<Action> ask(Rank rank, Kind kind, const std::string& key, const std::string& value = "") {
    Asked asked{Asker{1, ++id_}, state_.attempt, 0, rank, {}};
    asked.call.kind = kind;
    asked.call.key = key;
    asked.call.value = value;
    asked.call.timeout = seconds(30);
    return apply(asked);
  }

  static const Answer& only_answer(const std::vector<Action>& actions) {
    const Answer* found = nullptr;
    for (const Action& action : actions) {
      if (const auto* answer = std::get_if<Answer>(&action)) found = answer;
    }
    MUSTER_CHECK(found != nullptr);
    return *found;
  }

  State state_;
  TimePoint now_ = from_unix_nanos(0);
  uint64_t id_ = 0;
};

constexpr size_t kMany = 10'000;

TEST_F(RendezvousMachine, ManyWaitersOfOneKeyShareOneAnswer) {
  state_.limits.waiters_per_rank = kMany;
  begin(2);
  for (size_t i = 0; i < kMany; ++i) ask(1, Kind::wait, "id");
  const std::vector<Action> actions = ask(0, Kind::set, "id", "abc");
  ASSERT_EQ(actions.size(), 2u);
  EXPECT_EQ(std::get<Answer>(actions[0]).askers.size(), 1u);
  EXPECT_EQ(std::get<Answer>(actions[1]).askers.size(), kMany);
  EXPECT_EQ(std::get<Answer>(actions[1]).answer.value, "abc");
  EXPECT_TRUE(state_.waiters.empty());
}

TEST_F(RendezvousMachine, LargeFenceAnswersAllAtOnceInRankOrder) {
  begin(kMany);
  for (size_t rank = kMany - 1; rank > 0; --rank) ask(static_cast<Rank>(rank), Kind::fence, "f", std::to_string(rank));
  const Answer answer = only_answer(ask(0, Kind::fence, "f", "0"));
  ASSERT_EQ(answer.askers.size(), kMany);
  EXPECT_EQ(answer.answer.values[7], "7");
  EXPECT_EQ(answer.answer.values.back(), std::to_string(kMany - 1));
}

TEST_F(RendezvousMachine, LargeBarrierNamesTheFirstFewOfTheMissing) {
  begin(kMany);
  ask(3, Kind::barrier, "b");
  now_ += seconds(30);
  EXPECT_EQ(only_answer(apply(TimerFired{})).answer.status.message(),
            "barrier `b` timed out after 30 s: rank 0, rank 1, rank 2, rank 4, rank 5, rank 6, rank 7, rank 8 and "
            "9991 more are missing (9999 of 10000)");
}

TEST_F(RendezvousMachine, TheBarrierThatIsOpenLongestIsKnownWithWhoHasNotCome) {
  begin(3);
  EXPECT_FALSE(longest_open(state_));
  ask(0, Kind::fence, "first");
  const TimePoint asked = now_;
  now_ += seconds(2);
  ask(2, Kind::barrier, "second");
  ask(1, Kind::fence, "first");
  ASSERT_TRUE(longest_open(state_));
  EXPECT_EQ(longest_open(state_)->sentence, "fence `first` waits for rank 2 (1 of 3)");
  EXPECT_EQ(longest_open(state_)->since, asked);
  ask(2, Kind::fence, "first");
  EXPECT_EQ(longest_open(state_)->sentence, "barrier `second` waits for rank 0 and rank 1 (2 of 3)");
  apply(Ended{state_.attempt, "it is over"});
  EXPECT_FALSE(longest_open(state_));
}

TEST_F(RendezvousMachine, WaitForRanks_IsOpenWithAllRanksOfTheSameWait) {
  begin(4);
  const auto wait_for = [this](Rank asker, std::vector<Rank> ranks) {
    RendezvousCall call{Kind::wait, "k" + std::to_string(ranks.front()), "", "MPI_Init", 0, std::move(ranks), {}};
    apply(Asked{{1, ++id_}, state_.attempt, 0, asker, call});
  };
  wait_for(0, {3, 2});
  const TimePoint asked = now_;
  now_ += seconds(2);
  wait_for(0, {1, 99});
  now_ += seconds(2);
  ask(2, Kind::barrier, "later");
  ASSERT_TRUE(longest_open(state_));
  EXPECT_EQ(longest_open(state_)->sentence, "MPI_Init waits for rank 1, rank 2 and rank 3 (3 of 4)");
  EXPECT_EQ(longest_open(state_)->since, asked);
  ask(3, Kind::set, "k3", "v");
  EXPECT_EQ(longest_open(state_)->sentence, "MPI_Init waits for rank 1 (1 of 4)");
}

TEST_F(RendezvousMachine, OddNamesAreEscapedAndCut) {
  begin(1);
  EXPECT_EQ(only_answer(ask(0, Kind::get, "a\x1b[31m")).answer.status.message(), "key `a\\x1b[31m` is not set");
  const std::string shown = only_answer(ask(0, Kind::get, std::string(1000, 'k'))).answer.status.message();
  EXPECT_EQ(shown, "key `" + std::string(120, 'k') + "…` is not set");
}

TEST_F(RendezvousMachine, NegativeTimeoutIsRefused) {
  begin(1);
  Asked asked{Asker{1, 1}, 1, 0, 0, {}};
  asked.call.kind = Kind::wait;
  asked.call.timeout = seconds(-1);
  EXPECT_EQ(only_answer(apply(asked)).answer.status.code(), Code::invalid_argument);
}

TEST_F(RendezvousMachine, TimerIsArmedOnlyWhenADeadlineComesEarlier) {
  begin(2);
  EXPECT_EQ(ask(0, Kind::wait, "a"), std::vector<Action>{ArmTimer{now_ + seconds(30)}});
  now_ += seconds(1);
  EXPECT_TRUE(ask(0, Kind::wait, "b").empty());
  EXPECT_TRUE(apply(TimerFired{}).size() == 1) << "fired early: armed again, nobody answered";
}

TEST_F(RendezvousMachine, WaitersOfARankAreLimited) {
  state_.limits.waiters_per_rank = 1;
  begin(2);
  ask(0, Kind::barrier, "go");
  EXPECT_EQ(only_answer(ask(0, Kind::barrier, "other")).answer.status.code(), Code::resource_exhausted);
  EXPECT_EQ(only_answer(ask(1, Kind::barrier, "go")).askers.size(), 2u);
}

}  // namespace
}  // namespace muster::rendezvous
