// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <csignal>

#include "core/machine/job/decision.h"

namespace muster::job {
namespace {

State two_ranks() {
  State state;
  state.rules.nodes = {"ws1"};
  state.rules.ranks = {{"rank 0", 0, 0}, {"rank 1", 0, 0}};
  state.rules.groups = {SuccessRule::all};
  state.ranks.resize(2);
  return state;
}

RankState ended(ExitStatus exit) { return {RankPhase::exited, std::move(exit)}; }

ExitStatus lost_a_peer() {
  ExitStatus exit;
  exit.code = 1;
  exit.detail = "torch.distributed.DistNetworkError: failed to recv, got 0 bytes";
  return exit;
}

ExitStatus killed() {
  ExitStatus exit;
  exit.kind = ExitStatus::Kind::signalled;
  exit.signal = SIGKILL;
  return exit;
}

// Both exits are in one report, in any order.
TEST(FirstFailure, WhoLostAPeerIsNotFirst) {
  State state = two_ranks();
  state.ranks = {ended(lost_a_peer()), ended(killed())};
  const TimePoint early{std::chrono::seconds(1)};
  const TimePoint late{std::chrono::seconds(2)};
  EXPECT_EQ(first_failure(state, {{0, early}, {1, early}})->rank, 1u);
  EXPECT_EQ(first_failure(state, {{0, early}, {1, late}})->rank, 1u);
}

TEST(FirstFailure, OfTwoOfAKindWhoEndedFirst) {
  State state = two_ranks();
  const TimePoint early{std::chrono::seconds(1)};
  const TimePoint late{std::chrono::seconds(2)};
  state.ranks = {ended(lost_a_peer()), ended(lost_a_peer())};
  EXPECT_EQ(first_failure(state, {{0, late}, {1, early}})->rank, 1u);
  EXPECT_EQ(first_failure(state, {{0, early}, {1, early}})->rank, 0u);
}

ExitStatus failed() {
  ExitStatus exit;
  exit.code = 1;
  return exit;
}

// One group of two ranks with `rule`, and a group `all` of one rank.
State two_groups(SuccessRule rule) {
  State state;
  state.rules.nodes = {"ws1"};
  state.rules.ranks = {{"rank 0", 0, 0}, {"rank 1", 0, 0}, {"rank 2", 0, 1}};
  state.rules.groups = {rule, SuccessRule::all};
  state.ranks.resize(3);
  return state;
}

TEST(GroupsSucceeded, First_WaitsForTheFirstRankOnly) {
  State state = two_groups(SuccessRule::first);
  state.ranks.edit(1) = ended({});
  state.ranks.edit(2) = ended({});
  EXPECT_FALSE(groups_succeeded(state));
  state.ranks.edit(0) = ended({});
  state.ranks.edit(1) = {};
  EXPECT_TRUE(groups_succeeded(state));
  state.ranks.edit(1) = ended(failed());
  EXPECT_EQ(first_failure(state, {})->rank, 1u);
}

TEST(GroupsSucceeded, Background_IsNotWaitedForButCanFail) {
  State state = two_groups(SuccessRule::background);
  EXPECT_FALSE(groups_succeeded(state));
  state.ranks.edit(2) = ended({});
  EXPECT_TRUE(groups_succeeded(state));
  EXPECT_FALSE(first_failure(state, {}));
  state.ranks.edit(0) = ended(failed());
  EXPECT_EQ(first_failure(state, {})->rank, 0u);
}

}  // namespace
}  // namespace muster::job
