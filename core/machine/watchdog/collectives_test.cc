// SPDX-License-Identifier: Apache-2.0
#include "core/machine/watchdog/collectives.h"

#include <gtest/gtest.h>

namespace muster::watchdog {
namespace {

class Collectives : public testing::Test {
 protected:
  void set_progress(uint32_t rank, const std::vector<CollectiveProgress>& collectives) {
    RankSeen seen;
    seen.name = "rank " + std::to_string(rank);
    seen.standing = RankLocation{"futex", "", collectives, {}, true};
    ranks_[rank] = seen;
  }
  static CollectiveProgress in(const std::string& name, uint64_t sequence, const std::string& shape = "Float [4]") {
    return {"default_pg", name, shape, sequence, true};
  }
  static CollectiveProgress past(const std::string& name, uint64_t sequence) {
    return {"default_pg", name, "Float [4]", sequence, false};
  }
  std::string sentence() const { return collectives_sentence(ranks_); }

  std::map<uint32_t, RankSeen> ranks_;
};

TEST_F(Collectives, WhoHasNotEnteredIsNamed) {
  for (const uint32_t rank : {0u, 1u, 2u}) set_progress(rank, {in("all_reduce", 17)});
  set_progress(3, {past("broadcast", 16)});
  EXPECT_EQ(sentence(), "rank 3 has not entered all_reduce #17 of default_pg; rank 0, rank 1, rank 2 wait in it");
}

TEST_F(Collectives, WhoHasMadeNoneIsNamedToo) {
  set_progress(0, {in("all_reduce", 1)});
  set_progress(1, {past("", 0)});
  EXPECT_EQ(sentence(), "rank 1 has not entered all_reduce #1 of default_pg; rank 0 waits in it");
}

TEST_F(Collectives, KindsAndShapesThatDiffer) {
  set_progress(0, {in("all_reduce", 5)});
  set_progress(1, {in("broadcast", 5)});
  EXPECT_EQ(sentence(),
            "collective #5 of default_pg differs: rank 0 is in all_reduce of Float [4], rank 1 is in broadcast");
  set_progress(1, {in("all_reduce", 5, "Float [8]")});
  EXPECT_EQ(sentence(),
            "collective #5 of default_pg differs: rank 0 is in all_reduce of Float [4], rank 1 is in all_reduce of "
            "Float [8]");
}

// The shapes of a gather may differ from rank to rank.
TEST_F(Collectives, OtherShapesMayDiffer) {
  set_progress(0, {in("gather", 5)});
  set_progress(1, {in("gather", 5, "Float [8]")});
  EXPECT_EQ(sentence(), "rank 0, rank 1 are all in gather #5 of default_pg");
}

TEST_F(Collectives, WhoIsPastItIsNamed) {
  set_progress(0, {in("broadcast", 5)});
  set_progress(1, {past("broadcast", 5)});
  EXPECT_EQ(sentence(), "rank 0 waits in broadcast #5 of default_pg; rank 1 is past it");
}

TEST_F(Collectives, NobodyWaitsOrNobodyKnows) {
  EXPECT_EQ(sentence(), "");
  set_progress(0, {past("all_reduce", 5)});
  set_progress(1, {});
  EXPECT_EQ(sentence(), "");
}

TEST_F(Collectives, EachGroupByItself) {
  set_progress(0, {in("all_reduce", 2), {"rows", "all_gather", "", 9, false}});
  set_progress(1, {in("all_reduce", 2), {"rows", "all_gather", "", 10, true}});
  EXPECT_EQ(sentence(),
            "rank 0 has not entered all_gather #10 of rows; rank 1 waits in it; rank 0, rank 1 are all in all_reduce "
            "#2 of default_pg");
}

}  // namespace
}  // namespace muster::watchdog
