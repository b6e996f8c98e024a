// SPDX-License-Identifier: Apache-2.0
// Thousands of random histories of a rendezvous, with the properties that must hold after every event.

#include <set>

#include <gtest/gtest.h>

#include "core/base/random.h"
#include "core/machine/rendezvous/rendezvous.h"

namespace muster::rendezvous {
namespace {

using Kind = RendezvousCall::Kind;
using std::chrono::seconds;

constexpr uint32_t kRanks = 4;

struct Happened {
  TimePoint when;
  Event event;
};

Limits small_limits() {
  Limits limits;
  limits.key_bytes = 3;
  limits.value_bytes = 6;
  limits.total_bytes = 40;
  limits.answer_bytes = 12;
  limits.keys = 4;
  limits.waiters = 6;
  limits.waiters_per_rank = 2;
  return limits;
}

class History {
 public:
  explicit History(uint64_t seed) : random_(seed) { state_.limits = small_limits(); }

  void run() {
    for (int i = 0; i < 150; ++i) {
      advance(now_ + seconds(random_.below(3)));
      apply(any_event());
    }
    apply(Ended{state_.attempt, "the end"});
    EXPECT_EQ(state_.bytes, 0u);
    EXPECT_TRUE(state_.waiters.empty());
    EXPECT_TRUE(pending_.empty()) << "the end of an attempt answers all waiters";
  }

  void expect_same_replay() const {
    State state;
    state.limits = small_limits();
    std::vector<Action> actions;
    for (const Happened& happened : journal_) {
      Step result = step(std::move(state), happened.when, happened.event);
      state = std::move(result.next);
      actions.insert(actions.end(), result.actions.begin(), result.actions.end());
    }
    EXPECT_EQ(state, state_);
    EXPECT_EQ(actions, actions_);
  }

 private:
  Event any_event() {
    const uint64_t dice = random_.below(60);
    if (dice == 0) return Ended{state_.attempt, "rank 0 failed"};
    if (dice <= 2) return Begun{static_cast<Attempt>(state_.attempt + random_.below(2)), worlds(), "again"};
    if (dice <= 4) return ChannelLost{random_.below(3)};
    if (dice == 5) return TimerFired{};
    return any_call();
  }

  static std::vector<std::vector<std::string>> worlds() {
    std::vector<std::string> members;
    for (uint32_t rank = 0; rank < kRanks; ++rank) members.push_back("rank " + std::to_string(rank));
    return {members, members};
  }

  Asked any_call() {
    Asked asked;
    asked.asker = {random_.below(3), random_.below(20) == 0 ? random_.below(next_id_ + 1) : ++next_id_};
    asked.attempt = random_.below(20) == 0 ? static_cast<Attempt>(random_.below(3)) : state_.attempt;
    asked.world = static_cast<uint32_t>(random_.below(20) == 0 ? 2 : random_.below(2));
    asked.rank = static_cast<Rank>(random_.below(random_.below(20) == 0 ? kRanks + 1 : kRanks));
    asked.call.kind = static_cast<Kind>(random_.below(9));
    asked.call.key = std::string(random_.below(5), static_cast<char>('a' + random_.below(3)));
    asked.call.value = random_.below(2) == 0 ? std::string(random_.below(8), 'v') : std::to_string(random_.below(99));
    asked.call.amount = static_cast<int64_t>(random_.below(9)) - 4;
    asked.call.timeout = seconds(random_.below(8));
    if (random_.below(3) == 0) asked.call.ranks = any_ranks();
    return asked;
  }

  std::vector<Rank> any_ranks() {
    std::vector<Rank> ranks;
    for (Rank rank = 0; rank < kRanks; ++rank) {
      if (random_.below(3) != 0) ranks.push_back(rank);
    }
    if (random_.below(10) == 0) ranks.push_back(static_cast<Rank>(random_.below(kRanks + 2)));
    return ranks;
  }

  void advance(TimePoint until) {
    while (armed_ && *armed_ <= until) {
      now_ = *armed_;
      armed_.reset();
      apply(TimerFired{});
      ASSERT_TRUE(state_.deadlines.empty() || state_.deadlines.begin()->first > now_)
          << "a waiter was not answered at its deadline";
    }
    now_ = until;
  }

  void apply(const Event& event) {
    note(event);
    journal_.push_back({now_, event});
    Step result = step(std::move(state_), now_, event);
    state_ = std::move(result.next);
    for (const Action& action : result.actions) apply_action(action);
    actions_.insert(actions_.end(), result.actions.begin(), result.actions.end());
    expect_all_waiting();
    expect_consistent();
    expect_limits();
  }

  // Keeps the calls that must be answered.
  void note(const Event& event) {
    if (const auto* asked = std::get_if<Asked>(&event)) {
      const auto highest = highest_.find(asked->asker.channel);
      if (highest != highest_.end() && asked->asker.id <= highest->second) return;
      highest_[asked->asker.channel] = asked->asker.id;
      pending_.insert(asked->asker);
    }
    if (const auto* lost = std::get_if<ChannelLost>(&event)) {
      std::erase_if(pending_, [&](const Asker& asker) { return asker.channel == lost->channel; });
      highest_.erase(lost->channel);
    }
  }

  void apply_action(const Action& action) {
    if (const auto* arm = std::get_if<ArmTimer>(&action)) armed_ = arm->at;
    if (const auto* answer = std::get_if<Answer>(&action)) {
      for (const Asker& asker : answer->askers) EXPECT_EQ(pending_.erase(asker), 1u) << "answered twice or unasked";
    }
  }

  void expect_all_waiting() const {
    std::set<Asker> waiting;
    for (const auto& [asker, waiter] : state_.waiters) waiting.insert(asker);
    EXPECT_EQ(waiting, pending_) << "exactly the unanswered calls must wait";
  }

  void expect_consistent() const {
    size_t bytes = 0;
    size_t found = 0;
    size_t counted = 0;
    for (const auto& [asker, waiter] : state_.waiters) bytes += waiter.bytes;
    for (const Space& space : state_.worlds) {
      for (const auto& [key, value] : space.values) bytes += key.size() + value.size();
      for (const auto& [key, askers] : space.watchers) found += askers.size();
      for (const auto& [key, askers] : space.watchers) EXPECT_EQ(space.values.count(key), 0u);
      for (const auto& [key, barrier] : space.barriers) found += expect_barrier(barrier);
      for (const size_t count : space.waiting) counted += count;
    }
    EXPECT_EQ(bytes, state_.bytes);
    EXPECT_EQ(found, state_.waiters.size());
    EXPECT_EQ(counted, state_.waiters.size());
    EXPECT_EQ(state_.deadlines.size(), state_.waiters.size());
    EXPECT_TRUE(state_.deadlines.empty() || *armed_ <= state_.deadlines.begin()->first);
  }

  static size_t expect_barrier(const PendingBarrier& barrier) {
    const size_t expected = barrier.ranks.empty() ? kRanks : barrier.ranks.size();
    EXPECT_FALSE(barrier.arrived.empty());
    EXPECT_LT(barrier.arrived.size(), expected);
    size_t value_bytes = 0;
    for (const auto& [rank, arrival] : barrier.arrived) value_bytes += arrival.value.size();
    EXPECT_EQ(value_bytes, barrier.value_bytes);
    EXPECT_LE(value_bytes, small_limits().answer_bytes);
    return barrier.arrived.size();
  }

  void expect_limits() const {
    const Limits limits = small_limits();
    size_t keys = 0;
    for (const Space& space : state_.worlds) {
      keys += space.values.size();
      for (const size_t count : space.waiting) EXPECT_LE(count, limits.waiters_per_rank);
    }
    EXPECT_LE(keys, limits.keys);
    EXPECT_LE(state_.bytes, limits.total_bytes);
    EXPECT_LE(state_.waiters.size(), limits.waiters);
  }

  Random random_;
  State state_;
  TimePoint now_;
  std::optional<TimePoint> armed_;
  uint64_t next_id_ = 0;
  std::set<Asker> pending_;
  std::map<uint64_t, uint64_t> highest_;
  std::vector<Happened> journal_;
  std::vector<Action> actions_;
};

TEST(RendezvousProperty, RandomHistories) {
  for (uint64_t seed = 0; seed < 2000 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    History history(seed);
    history.run();
    history.expect_same_replay();
  }
}

}  // namespace
}  // namespace muster::rendezvous
