// SPDX-License-Identifier: Apache-2.0
#include "launcher/exec/rank_choice.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

RankView rank_of(uint32_t index, const std::string& group, Rank rank, NodeIndex node) {
  RankView view;
  view.index = index;
  view.group = group;
  view.rank = rank;
  view.node = node;
  return view;
}

JobView two_groups() {
  JobView job;
  job.name = "llm";
  job.ranks = {rank_of(0, "trainer", 0, 0), rank_of(1, "trainer", 1, 1), rank_of(2, "server", 0, 2)};
  return job;
}

TEST(RankChoice, WithoutRankOrNode_TheFirstIsChosen) { EXPECT_EQ(*chosen_rank(two_groups(), {}, {}), 0u); }

TEST(RankChoice, ANumberThatOneGroupHasIsEnough) { EXPECT_EQ(*chosen_rank(two_groups(), "1", {}), 1u); }

TEST(RankChoice, AGroupTellsRanksApart) { EXPECT_EQ(*chosen_rank(two_groups(), "server/0", {}), 2u); }

TEST(RankChoice, AmbiguousRanksAreSpeltOut) {
  const auto chosen = chosen_rank(two_groups(), "0", {});
  EXPECT_EQ(chosen.status().code(), Code::invalid_argument);
  EXPECT_EQ(chosen.status().message(), "rank 0 of llm is in 2 groups; choose one: --rank trainer/0, --rank server/0");
}

TEST(RankChoice, ANodeMeansItsFirstRank) { EXPECT_EQ(*chosen_rank(two_groups(), {}, "1"), 1u); }

TEST(RankChoice, WhatIsNotThereIsSaid) {
  EXPECT_EQ(chosen_rank(two_groups(), "7", {}).status().message(),
            "llm has no rank 7; it has 3 ranks on 3 nodes: muster describe llm");
  EXPECT_EQ(chosen_rank(two_groups(), {}, "9").status().code(), Code::not_found);
  EXPECT_EQ(chosen_rank(two_groups(), "x", {}).status().code(), Code::invalid_argument);
}

// All ranks are one world, and their names count through it.
JobView shared_world() {
  JobView job = two_groups();
  for (RankView& rank : job.ranks) rank.name = "rank " + std::to_string(rank.index);
  return job;
}

using Indices = std::vector<uint32_t>;

TEST(RankChoice, OfAListANumberMeansThatRankOfEveryGroup) {
  EXPECT_EQ(*chosen_ranks(two_groups(), "0"), (Indices{0, 2}));
  EXPECT_EQ(*chosen_ranks(two_groups(), "0-1"), (Indices{0, 2, 1}));
}

TEST(RankChoice, OfAListAGroupTellsRanksApart) {
  EXPECT_EQ(*chosen_ranks(two_groups(), "server/0"), Indices{2});
  EXPECT_EQ(*chosen_ranks(two_groups(), "trainer/0-1,server/0"), (Indices{0, 1, 2}));
}

TEST(RankChoice, InASharedWorldANumberIsThatOfThePrintedName) {
  EXPECT_EQ(*chosen_ranks(shared_world(), "2,0"), (Indices{2, 0}));
  EXPECT_EQ(*chosen_ranks(shared_world(), "server/0"), Indices{2});
  EXPECT_EQ(*chosen_rank(shared_world(), "2", {}), 2u);
  EXPECT_EQ(*chosen_rank(shared_world(), "server/0", {}), 2u);
  EXPECT_EQ(chosen_ranks(shared_world(), "3").status().code(), Code::not_found);
}

TEST(RankChoice, OfAListWhatIsNotThereIsSaid) {
  EXPECT_EQ(chosen_ranks(two_groups(), "server/0-1").status().message(),
            "llm has no rank server/1; it has 3 ranks on 3 nodes: muster describe llm");
  for (const char* wrong : {"", "/0", "server/", "nobody/0", "0,,1"})
    EXPECT_FALSE(chosen_ranks(two_groups(), wrong).ok());
}

TEST(RankChoice, AJobWithoutRanksSaysSo) {
  JobView job;
  job.name = "llm";
  job.state = "queued";
  EXPECT_EQ(chosen_rank(job, {}, {}).status().message(), "llm is queued: it has no ranks yet");
}

}  // namespace
}  // namespace muster
