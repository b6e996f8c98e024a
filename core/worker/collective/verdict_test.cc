// SPDX-License-Identifier: Apache-2.0
#include "core/worker/collective/verdict.h"

#include <gtest/gtest.h>

namespace muster::worker {
namespace {

Roster world(uint32_t size, uint32_t rank = 0) {
  Roster roster{"world", "communicator/world#1", {}, rank};
  for (uint32_t member = 0; member < size; ++member) roster.members.push_back(member);
  return roster;
}

Call all_reduce(uint64_t number, uint64_t count, Type type = Type::float32, Reduce reduce = Reduce::sum) {
  return {Kind::all_reduce, type, reduce, 0, 0, count, number, number - 1};
}
Call message(Kind kind, uint32_t from, uint32_t to, uint64_t number, uint64_t count, uint64_t collectives = 0) {
  return {kind, Type::uint8, Reduce::sum, from, to, count, number, collectives};
}

TEST(Verdict, NamesRanksCallsAndSizes) {
  EXPECT_EQ(
      judge(world(2), {{0, {{all_reduce(12, 1024)}, {}}}, {1, {{all_reduce(12, 2048)}, {}}}}),
      "the ranks of `world` disagree at collective #12: rank 0 calls all_reduce of 1024 × float32 (sum), rank 1 calls "
      "all_reduce of 2048 × float32 (sum)");
}

TEST(Verdict, GroupsRanksThatAgree) {
  GroupProgress all_progress;
  for (uint32_t rank = 0; rank < 4; ++rank)
    all_progress[rank].calls = {all_reduce(1, 8, rank == 2 ? Type::int64 : Type::float32)};
  EXPECT_EQ(judge(world(4), all_progress),
            "the ranks of `world` disagree at collective #1: ranks 0, 1 and 3 call all_reduce of 8 × float32 (sum), "
            "rank 2 calls "
            "all_reduce of 8 × int64 (sum)");
}

TEST(Verdict, TheWorldsNumbersWhereACommunicatorHasOthers) {
  const Roster row{"row", "x", {2, 3}, 0};
  EXPECT_EQ(judge(row, {{0, {{all_reduce(1, 1)}, {}}}, {1, {{Call{.kind = Kind::barrier, .number = 1}}, {}}}}),
            "the ranks of `row` disagree at collective #1: rank 2 (0 of `row`) calls all_reduce of 1 × float32 (sum), "
            "rank 3 (1 of "
            "`row`) calls barrier");
}

TEST(Verdict, LateRanksAreNoReason) {
  EXPECT_FALSE(judge(world(3), {{0, {{all_reduce(5, 4)}, {}}}}));
  EXPECT_FALSE(judge(world(3), {{0, {{all_reduce(5, 4)}, {}}}, {1, {{all_reduce(4, 9)}, {}}}, {2, {}}}));
  EXPECT_FALSE(judge(world(2), {{0, {{all_reduce(5, 4)}, {}}}, {1, {{all_reduce(6, 9)}, {}}}}));
}

TEST(Verdict, MessagesThatDiffer) {
  EXPECT_EQ(judge(world(2),
                  {{0, {{message(Kind::send, 0, 1, 3, 10)}, {}}}, {1, {{message(Kind::receive, 0, 1, 3, 20)}, {}}}}),
            "the ranks of `world` disagree at message #3 from rank 0 to rank 1: rank 0 calls send of 10 × uint8 to "
            "rank 1, rank 1 "
            "calls receive of 20 × uint8 from rank 0");
  EXPECT_FALSE(judge(
      world(2), {{0, {{message(Kind::send, 0, 1, 3, 10)}, {}}}, {1, {{message(Kind::receive, 0, 1, 3, 10)}, {}}}}));
  EXPECT_FALSE(judge(
      world(2), {{0, {{message(Kind::send, 0, 1, 3, 10)}, {}}}, {1, {{message(Kind::receive, 0, 1, 2, 20)}, {}}}}));
}

TEST(Verdict, RanksThatWaitForEachOther) {
  EXPECT_EQ(
      judge(world(2), {{0, {{message(Kind::send, 0, 1, 1, 4)}, {}}}, {1, {{message(Kind::send, 1, 0, 1, 4)}, {}}}}),
      "ranks of `world` wait for each other: rank 0 calls send of 4 × uint8 to rank 1, rank 1 calls send of 4 × uint8 "
      "to rank 0");
  EXPECT_TRUE(judge(world(2, 1), {{0, {{message(Kind::send, 0, 1, 1, 4)}, {}}}, {1, {{all_reduce(1, 4)}, {}}}}));
}

TEST(Verdict, ARankThatHasDoneItsPartIsNotWaitedFor) {
  const Call received = message(Kind::receive, 1, 0, 7, 4);
  // Rank 1 has sent its message, which has not arrived at rank 0 yet, and has continued.
  EXPECT_FALSE(judge(world(2), {{0, {{received}, {}}}, {1, {{all_reduce(1, 4)}, {message(Kind::send, 1, 0, 7, 0)}}}}));
  // Rank 1's progress is old: rank 0 has received that message long ago.
  EXPECT_FALSE(judge(
      world(2), {{0, {{message(Kind::send, 0, 1, 1, 4)}, {received}}}, {1, {{message(Kind::send, 1, 0, 7, 4)}, {}}}}));
}

TEST(Verdict, WhoIsMissing) {
  const GroupProgress all_progress = {
      {0, {{all_reduce(3, 4)}, {}}}, {1, {{all_reduce(3, 4)}, {}}}, {2, {{all_reduce(2, 4)}, {}}}};
  EXPECT_EQ(missing(world(4), all_reduce(3, 4), all_progress), (std::vector<uint32_t>{2, 3}));
  EXPECT_EQ(missing(world(4), message(Kind::receive, 3, 0, 1, 1), all_progress), std::vector<uint32_t>{3});
}

TEST(Verdict, StandsTravelAsText) {
  const RankProgress progress{{all_reduce(1, 2), message(Kind::send, 3, 4, 5, 6)},
                              {message(Kind::receive, 1, 0, 9, 0)}};
  const Result<RankProgress> back = decode_progress(encode(progress));
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(back->calls, progress.calls);
  EXPECT_EQ(back->passed, progress.passed);
  for (const char* text : {"", "1|", "|x", "9 9 9 9 9 9 9 9|", "0 0 0 0 0 0 0 -1|"})
    EXPECT_FALSE(decode_progress(text).ok()) << text;
}

TEST(Call, TagsDifferWhereCallsDo) {
  const Call call = all_reduce(3, 100);
  Call other = call;
  other.count = 101;
  EXPECT_NE(tag_of(call), tag_of(other));
  other = call;
  other.number = 4;
  EXPECT_NE(tag_of(call), tag_of(other));
  other = call;
  other.type = Type::int32;
  EXPECT_NE(tag_of(call), tag_of(other));
  other = call;
  other.kind = Kind::all_gather;
  EXPECT_NE(tag_of(call), tag_of(other));
  EXPECT_EQ(tag_of(message(Kind::send, 0, 1, 2, 3)), tag_of(message(Kind::receive, 0, 1, 2, 3, 9)));
  EXPECT_EQ(tag_of(call) & 0xffffff, 0U);
}

}  // namespace
}  // namespace muster::worker
