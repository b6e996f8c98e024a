// SPDX-License-Identifier: Apache-2.0
// Communicators that grow, over Gloo and over the NCCL stand-in in versions with and without ncclCommGrow; with the C++ class
// and with the functions of muster.h.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <numeric>

#include "core/worker/collective/communicator.h"
#include "core/worker/collective/membership.h"
#include "core/worker/collective/testing/hall.h"
#include "core/worker/handles.h"

// In libmuster.so a context holds the socket to the agent; here it holds a thread's meeting.
struct muster_context {
  muster::worker::Meeting* meeting;
};

namespace muster::worker {

Meeting& meeting_of(muster_context* context) { return *context->meeting; }
muster_code fail(const Status& status) { return static_cast<muster_code>(status.code()); }

namespace {

using testing::each_rank;
using testing::Hall;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

// The parameter is "gloo" or a version of NCCL.
class Grow : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (std::string(GetParam()) == "gloo") {
      ASSERT_TRUE(MUSTER_HAS_GLOO) << "install libgloo-dev, and configure the build again";
      return;
    }
    ::setenv("MUSTER_NCCL_LIBRARY", MUSTER_STAND_IN, 1);
    ::setenv("MUSTER_CUDA_LIBRARY", MUSTER_STAND_IN, 1);
    ::setenv("MUSTER_STAND_IN_VERSION", GetParam(), 1);
  }
  void TearDown() override {
    for (const char* name : {"MUSTER_NCCL_LIBRARY", "MUSTER_CUDA_LIBRARY", "MUSTER_STAND_IN_VERSION"}) ::unsetenv(name);
  }
  CommunicatorOptions world(Duration timeout = 60s) const {
    const Backend backend = std::string(GetParam()) == "gloo" ? Backend::gloo : Backend::nccl;
    return {.name = "world", .backend = backend, .timeout = timeout};
  }
};

std::vector<uint32_t> first(uint32_t count) {
  std::vector<uint32_t> ranks(count);
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

// The members' ranks of the world, in order of their rank in the communicator.
std::vector<int32_t> members(Communicator& all, const Meeting& meeting) {
  const auto me = static_cast<int32_t>(meeting.rank());
  std::vector<int32_t> ranks(all.size(), -1);
  EXPECT_EQ(all.all_gather(&me, ranks.data(), 1, Type::int32), Status());
  EXPECT_EQ(all.synchronize(), Status());
  EXPECT_EQ(ranks.at(all.rank()), me);
  return ranks;
}

// The communicator before it grows: ranks ordered by `keys`; ranks with key -1 are not in it.
std::unique_ptr<Communicator> part(Communicator& all, uint32_t rank, const std::vector<int32_t>& keys) {
  auto made = all.split(keys[rank] < 0 ? -1 : 0, keys[rank], "part");
  EXPECT_TRUE(made.ok()) << made.status().message();
  return made.ok() ? std::move(*made) : nullptr;
}

TEST_P(Grow, OneToTwoToFourAndTheParentLivesOn) {
  Hall hall(4);
  each_rank(hall, [&](Meeting& meeting) {
    auto all = Communicator::open(meeting, world());
    ASSERT_TRUE(all.ok()) << all.status().message();
    auto one = part(**all, meeting.rank(), {0, -1, -1, -1});
    if (meeting.rank() < 2) {
      auto two = Communicator::grow(meeting, one.get(), {0, 1}, "two");
      ASSERT_TRUE(two.ok()) << two.status().message();
      EXPECT_EQ(members(**two, meeting), (std::vector<int32_t>{0, 1}));
      if (one) {
        EXPECT_EQ(members(*one, meeting), (std::vector<int32_t>{0}));
      }
      one = std::move(*two);
    }
    auto four = Communicator::grow(meeting, one.get(), first(4), "four");
    ASSERT_TRUE(four.ok()) << four.status().message();
    EXPECT_EQ((*four)->backend(), world().backend);
    EXPECT_EQ(members(**four, meeting), (std::vector<int32_t>{0, 1, 2, 3}));
    if (one) {
      EXPECT_EQ(members(*one, meeting), (std::vector<int32_t>{0, 1}));
    }
  });
}

TEST_P(Grow, TheParentsRanksKeepTheirNumbersAndItGrowsTwice) {
  Hall hall(5);
  each_rank(hall, [&](Meeting& meeting) {
    auto all = Communicator::open(meeting, world());
    ASSERT_TRUE(all.ok()) << all.status().message();
    auto backwards = part(**all, meeting.rank(), {-1, 3, -1, 1, -1});
    for (int time = 0; time < 2; ++time) {
      auto five = Communicator::grow(meeting, backwards.get(), first(5), "five");
      ASSERT_TRUE(five.ok()) << five.status().message();
      EXPECT_EQ(members(**five, meeting), (std::vector<int32_t>{3, 1, 0, 2, 4}));
    }
  });
}

TEST_P(Grow, AfterAShrink) {
  Hall hall(4);
  each_rank(hall, [&](Meeting& meeting) {
    auto all = Communicator::open(meeting, world());
    ASSERT_TRUE(all.ok()) << all.status().message();
    std::unique_ptr<Communicator> rest;
    if (meeting.rank() != 1) {
      auto shrunk = (*all)->shrink({1}, "rest");
      ASSERT_TRUE(shrunk.ok()) << shrunk.status().message();
      rest = std::move(*shrunk);
      EXPECT_EQ(members(*rest, meeting), (std::vector<int32_t>{0, 2, 3}));
    }
    auto again = Communicator::grow(meeting, rest.get(), first(4), "world");
    ASSERT_TRUE(again.ok()) << again.status().message();
    EXPECT_EQ(members(**again, meeting), (std::vector<int32_t>{0, 2, 3, 1}));
    auto half = (*again)->split(static_cast<int32_t>(meeting.rank() % 2), 0, "half");
    ASSERT_TRUE(half.ok()) << half.status().message();
    EXPECT_EQ(members(**half, meeting).size(), 2U);
  });
}

TEST_P(Grow, RanksThatDisagreeAreNamedOnAll) {
  Hall hall(3);
  each_rank(hall, [&](Meeting& meeting) {
    auto all = Communicator::open(meeting, world());
    ASSERT_TRUE(all.ok()) << all.status().message();
    auto one = part(**all, meeting.rank(), {0, -1, -1});
    const auto members = meeting.rank() == 1 ? std::vector<uint32_t>{1, 2} : first(3);
    const Status other = Communicator::grow(meeting, one.get(), members, "more").status();
    EXPECT_EQ(other.code(), Code::invalid_argument);
    EXPECT_THAT(other.message(), HasSubstr("`more` cannot be grown: the ranks disagree about its members: rank "));
    EXPECT_THAT(other.message(), HasSubstr("rank 1 says ranks 1 and 2"));

    const Status none = Communicator::grow(meeting, nullptr, first(3), "none").status();
    EXPECT_EQ(none.message(), "`none` cannot be grown: none of ranks 0, 1 and 2 passed a parent");
    auto* parent = meeting.rank() == 0 ? one.get() : all->get();
    const Status two = Communicator::grow(meeting, parent, first(3), "two").status();
    EXPECT_EQ(two.message(), "`two` cannot be grown: rank 0 and rank 1 pass different parents, `part` and `world`");
    const Status silent =
        Communicator::grow(meeting, meeting.rank() == 2 ? nullptr : all->get(), first(3), "silent").status();
    EXPECT_EQ(silent.message(),
              "`silent` cannot be grown: rank 2 of `world` passed no parent; only ranks that join may do that");
    if (meeting.rank() == 2) return;
    const Status without = Communicator::grow(meeting, all->get(), {0, 1}, "without").status();
    EXPECT_EQ(without.message(),
              "`without` cannot be grown: rank 2 of `world` must be among the members: a communicator can only grow");
    EXPECT_THAT(Communicator::grow(meeting, all->get(), {1, 0}, "without").status().message(), HasSubstr("sorted"));
  });
}

TEST_P(Grow, NcclDoesItWhereItsVersionCan) {
  ::setenv("MUSTER_STAND_IN_REFUSE", "grow", 1);
  const std::string version = GetParam();
  const bool can = version == "22902" || version == "23203";
  Hall hall(2);
  each_rank(hall, [&](Meeting& meeting) {
    auto all = Communicator::open(meeting, world());
    ASSERT_TRUE(all.ok()) << all.status().message();
    auto one = part(**all, meeting.rank(), {0, -1});
    EXPECT_EQ(Communicator::grow(meeting, one.get(), first(2), "two").ok(), !can);
  });
  ::unsetenv("MUSTER_STAND_IN_REFUSE");
}

TEST_P(Grow, WhoDoesNotComeIsNamedAtTheDeadline) {
  Hall hall(3);
  each_rank(hall, [&](Meeting& meeting) {
    auto all = Communicator::open(meeting, world(3s));
    ASSERT_TRUE(all.ok()) << all.status().message();
    auto one = part(**all, meeting.rank(), {0, -1, -1});
    if (meeting.rank() == 2) return;
    EXPECT_EQ(Communicator::grow(meeting, one.get(), first(3), "more").status(),
              Status(Code::deadline_exceeded, "growing `more` timed out: rank 2 did not call grow with this name"));
  });
}

TEST_P(Grow, ByTheFunctionsOfTheHeader) {
  Hall hall(3);
  each_rank(hall, [&](Meeting& meeting) {
    muster_context context{&meeting};
    const muster_communicator_options options{sizeof(muster_communicator_options), "all",
                                              static_cast<muster_backend>(world().backend), 60, nullptr};
    muster_communicator *all = nullptr, *part = nullptr, *more = nullptr;
    ASSERT_EQ(muster_communicator_open(&context, &options, &all), MUSTER_OK);
    ASSERT_EQ(muster_communicator_split(all, meeting.rank() == 0 ? -1 : 0, 0, "part", &part), MUSTER_OK);
    const uint32_t members[] = {0, 1, 2};
    EXPECT_EQ(muster_communicator_grow(&context, part, members, 3, nullptr, nullptr), MUSTER_INVALID_ARGUMENT);
    EXPECT_EQ(muster_communicator_grow(nullptr, part, members, 3, nullptr, &more), MUSTER_INVALID_ARGUMENT);
    EXPECT_EQ(muster_communicator_grow(&context, part, nullptr, 3, nullptr, &more), MUSTER_INVALID_ARGUMENT);
    EXPECT_EQ(muster_communicator_grow(&context, part, members, 0, nullptr, &more), MUSTER_INVALID_ARGUMENT);
    ASSERT_EQ(muster_communicator_grow(&context, part, members, 3, nullptr, &more), MUSTER_OK);
    EXPECT_EQ(muster_communicator_size(more), 3U);
    EXPECT_EQ(muster_communicator_rank(more), (meeting.rank() + 2) % 3);
    EXPECT_EQ(muster_communicator_barrier(more), MUSTER_OK);
    for (muster_communicator* each : {more, part, all}) muster_communicator_close(each);
  });
}

// NCCL 2.14 has no split, shrink or grow; 2.29.1 has no grow.
INSTANTIATE_TEST_SUITE_P(Over, Grow, ::testing::Values("gloo", "21403", "22901", "22902", "23203"),
                         [](const auto& each) { return std::string(each.param); });

TEST(Membership, AClaimIsReadAsItWasWritten) {
  const Claim all{3, {0, 1, 5}, "no \n luck", "a prefix 1 2", "name", {5, 0}, Backend::nccl, 60s};
  const Result<Claim> read = decode_claim(encode(all));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(encode(*read), encode(all));
  EXPECT_EQ(read->wrong, all.wrong);
  EXPECT_EQ(read->name, all.name);
  EXPECT_EQ(grown(*read), (std::vector<uint32_t>{5, 0, 1}));
  for (const char* text :
       {"", "1\n", "0 0 0 0 0 0 1 0\n", "0 0 0 9 0 0 0 0\nab", "0 9 0 0 0 0 0 0\n", "x 0 0 0 0 0 0 0\n"})
    EXPECT_FALSE(decode_claim(text).ok()) << text;
}

TEST(Membership, WhatIsWrongOnOneRankIsSaidOnAll) {
  const Claim joins{1, {0, 1}}, broken{1, {0, 1}, "`w` cannot continue", "w", "w", {1}, Backend::gloo, 1s};
  EXPECT_EQ(judge("more", {{0, joins}, {1, broken}}).status(),
            Status(Code::failed_precondition, "`more` cannot be grown: rank 1: `w` cannot continue"));
}

}  // namespace
}  // namespace muster::worker
