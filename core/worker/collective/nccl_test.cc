// SPDX-License-Identifier: Apache-2.0
// NCCL communicators over libnccl_stand_in.so. If MUSTER_NCCL names a real libnccl.so.2, also checks it against nccl_abi.h.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>

#include "core/worker/collective/communicator.h"
#include "core/worker/collective/testing/hall.h"

namespace muster::worker {
namespace {

using testing::each_rank;
using testing::Hall;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

const CommunicatorOptions automatic{.name = "world", .timeout = 60s};

class Nccl : public ::testing::TestWithParam<uint32_t> {
 protected:
  void SetUp() override {
    set("MUSTER_NCCL_LIBRARY", MUSTER_STAND_IN);
    set("MUSTER_CUDA_LIBRARY", MUSTER_STAND_IN);
  }
  void TearDown() override {
    for (const std::string& name : names_) ::unsetenv(name.c_str());
  }
  void set(const std::string& name, const std::string& value) {
    ::setenv(name.c_str(), value.c_str(), 1);
    names_.push_back(name);
  }

 private:
  std::vector<std::string> names_;
};

// Runs every operation once, with values that differ between ranks.
void exercise(Communicator& all) {
  const auto me = static_cast<int32_t>(all.rank()), size = static_cast<int32_t>(all.size());
  int32_t sum = me + 1, product = me + 1, least = me, most = me;
  float average = static_cast<float>(me);
  ASSERT_EQ(all.all_reduce(&sum, &sum, 1, Type::int32, Reduce::sum), Status());
  ASSERT_EQ(all.all_reduce(&product, &product, 1, Type::int32, Reduce::product), Status());
  ASSERT_EQ(all.all_reduce(&least, &least, 1, Type::int32, Reduce::min), Status());
  ASSERT_EQ(all.all_reduce(&most, &most, 1, Type::int32, Reduce::max), Status());
  ASSERT_EQ(all.all_reduce(&average, &average, 1, Type::float32, Reduce::average), Status());
  std::vector<int32_t> gathered(size), ones(size, 1);
  int32_t part = 0, root = me, got = -1;
  ASSERT_EQ(all.all_gather(&me, gathered.data(), 1, Type::int32), Status());
  ASSERT_EQ(all.reduce_scatter(ones.data(), &part, 1, Type::int32, Reduce::sum), Status());
  ASSERT_EQ(all.broadcast(&root, 1, Type::int32, all.size() - 1), Status());
  ASSERT_EQ(all.synchronize(), Status());
  if (size > 1 && me == 0) {
    ASSERT_EQ(all.send(&sum, 1, Type::int32, 1), Status());
  }
  if (me == 1) {
    ASSERT_EQ(all.receive(&got, 1, Type::int32, 0), Status());
  }
  ASSERT_EQ(all.synchronize(), Status());
  ASSERT_EQ(all.barrier(), Status());
  int32_t factorial = 1;
  for (int32_t i = 1; i <= size; ++i) factorial *= i;
  EXPECT_EQ(sum, size * (size + 1) / 2);
  EXPECT_EQ(product, factorial);
  EXPECT_EQ(least, 0);
  EXPECT_EQ(most, size - 1);
  EXPECT_EQ(average, static_cast<float>(size - 1) / 2);
  EXPECT_EQ(part, size);
  EXPECT_EQ(root, size - 1);
  EXPECT_EQ(got, me == 1 ? sum : -1);
  for (int32_t i = 0; i < size; ++i) EXPECT_EQ(gathered[i], i);
}

TEST_P(Nccl, IsChosenWhereAllHaveItAndDoesEverything) {
  Hall hall(GetParam());
  each_rank(hall, [](Meeting& meeting) {
    auto all = Communicator::open(meeting, automatic);
    ASSERT_TRUE(all.ok()) << all.status().message();
    EXPECT_EQ((*all)->backend(), Backend::nccl);
    exercise(**all);
  });
}

TEST_P(Nccl, SplitsAndShrinksWithEveryVersion) {
  for (const char* version : {"21403", "21805", "22703", "23203"}) {
    set("MUSTER_STAND_IN_VERSION", version);
    Hall hall(GetParam());
    each_rank(hall, [](Meeting& meeting) {
      auto all = Communicator::open(meeting, automatic);
      ASSERT_TRUE(all.ok()) << all.status().message();
      const bool odd_one = meeting.rank() == 3;
      auto half = (*all)->split(odd_one ? -1 : static_cast<int32_t>(meeting.rank() % 2),
                                -static_cast<int32_t>(meeting.rank()), "half");
      ASSERT_TRUE(half.ok()) << half.status().message();
      EXPECT_EQ(*half == nullptr, odd_one);
      if (*half) {
        const uint32_t members =
            ((*all)->size() - meeting.rank() % 2 + 1) / 2 - (meeting.rank() % 2 == 1 && (*all)->size() > 3 ? 1 : 0);
        EXPECT_EQ((*half)->size(), members);
        EXPECT_EQ((*half)->rank(), members - 1 - meeting.rank() / 2);
        exercise(**half);
      }
      ASSERT_EQ((*all)->barrier(), Status());
      if ((*all)->size() == 1 || meeting.rank() == 0) return;
      auto rest = (*all)->shrink({0}, "rest");
      ASSERT_TRUE(rest.ok()) << rest.status().message();
      exercise(**rest);
    });
    if (HasFailure()) return;
  }
}

TEST_P(Nccl, RanksThatDisagreeAreNamedWhenTheyWait) {
  if (GetParam() == 1) return;
  Hall hall(GetParam());
  each_rank(hall, [&](Meeting& meeting) {
    auto all = Communicator::open(meeting, automatic);
    ASSERT_TRUE(all.ok());
    std::vector<float> values(100);
    for (size_t call = 0; call < 3; ++call) {
      const size_t count = meeting.rank() == 1 && call == 1 ? 7 : 5;
      ASSERT_EQ((*all)->all_reduce(values.data(), values.data(), count, Type::float32, Reduce::sum), Status());
    }
    const Status status = (*all)->synchronize();
    EXPECT_EQ(status.code(), Code::invalid_argument);
    EXPECT_THAT(status.message(), HasSubstr("disagree at collective #2"));
    EXPECT_THAT(status.message(), HasSubstr("rank 1 calls all_reduce of 7 × float32 (sum)"));
  });
}

TEST_P(Nccl, TheEndOfTheAttemptAborts) {
  Hall hall(GetParam() + 1);
  std::atomic<uint32_t> waiting = 0;
  std::thread breaker([&] {
    EXPECT_TRUE(hall.wait("waiting", 30s).ok());
    hall.break_up("rank 0 was killed by SIGKILL");
  });
  each_rank(hall, [&](Meeting& meeting) {
    auto all = Communicator::open(meeting, automatic);
    ASSERT_TRUE(all.ok());
    float value = 0;
    if (meeting.rank() == 0) {
      while (waiting < hall.size() - 1) std::this_thread::yield();
      hall.set("waiting", "all");
      return static_cast<void>(meeting.broken(30s));
    }
    ASSERT_EQ((*all)->all_reduce(&value, &value, 1, Type::float32, Reduce::sum), Status());
    ++waiting;
    EXPECT_EQ((*all)->synchronize(), Status(Code::aborted, "`world` cannot continue: rank 0 was killed by SIGKILL"));
  });
  breaker.join();
}

TEST_P(Nccl, ErrorsInTheBackgroundAreTold) {
  set("MUSTER_STAND_IN_ERROR", "2");
  Hall hall(GetParam());
  each_rank(hall, [&](Meeting& meeting) {
    auto all = Communicator::open(meeting, automatic);
    ASSERT_TRUE(all.ok());
    float value = 0;
    ASSERT_EQ((*all)->all_reduce(&value, &value, 1, Type::float32, Reduce::sum), Status());
    ASSERT_EQ((*all)->synchronize(), Status());
    static_cast<void>((*all)->all_reduce(&value, &value, 1, Type::float32, Reduce::sum));
    const Status status = (*all)->synchronize();
    EXPECT_FALSE(status.ok());
    EXPECT_THAT(status.message(), HasSubstr("remote process exited"));
  });
}

TEST_P(Nccl, AnInitializationThatHangsEndsAtTheDeadline) {
  if (GetParam() == 1) return;
  set("MUSTER_STAND_IN_HANG", "init");
  Hall hall(GetParam());
  each_rank(hall, [&](Meeting& meeting) {
    auto all = Communicator::open(meeting, {"world", Backend::nccl, 1s, nullptr});
    ASSERT_FALSE(all.ok());
    EXPECT_EQ(all.status(), Status(Code::deadline_exceeded, "connecting `world` timed out after 1 s"));
  });
}

TEST_P(Nccl, WhereItIsMissingAutoIsGlooAndAskingForItIsSaid) {
  set("MUSTER_STAND_IN_GPUS", "0");
  Hall hall(GetParam());
  each_rank(hall, [&](Meeting& meeting) {
    auto asked = Communicator::open(meeting, {"asked", Backend::nccl, 10s, nullptr});
    ASSERT_FALSE(asked.ok());
    EXPECT_EQ(asked.status(), Status(Code::unimplemented,
                                     "`asked` cannot be opened with nccl: rank 0 cannot use it: no GPU is visible"));
    if (!MUSTER_HAS_GLOO) return;
    auto all = Communicator::open(meeting, automatic);
    ASSERT_TRUE(all.ok()) << all.status().message();
    EXPECT_EQ((*all)->backend(), Backend::gloo);
  });
}

INSTANTIATE_TEST_SUITE_P(Ranks, Nccl, ::testing::Values(1, 2, 4, 5), ::testing::PrintToStringParamName());

Roster three() { return {"world", "x", {0, 1, 2}, 0}; }

TEST(Offers, OneWithoutNcclMakesItGloo) {
  const Offer has{}, lacks{Backend::automatic, "", "no GPU", "card"};
  EXPECT_EQ(*agree(three(), {has, has, has}), Backend::nccl);
  EXPECT_EQ(*agree(three(), {has, lacks, has}), Backend::gloo);
  EXPECT_EQ(agree(three(), {has, {Backend::gloo, "", "", ""}, has}).status().message(),
            "the ranks ask for different backends of `world`: rank 0 for auto, rank 1 for gloo");
  EXPECT_FALSE(decode_offer("0 1 1 9\nab").ok());
}

TEST(Ids, OneForEvery256RanksAtTheirFirst) {
  ::setenv("MUSTER_NCCL_LIBRARY", MUSTER_STAND_IN, 1);
  ::setenv("MUSTER_CUDA_LIBRARY", MUSTER_STAND_IN, 1);
  std::vector<uint32_t> makers;
  for (uint32_t rank = 0; rank < 600; ++rank) {
    auto made = NcclTransport::make(rank, 600, nullptr);
    ASSERT_TRUE(made.ok());
    EXPECT_EQ((*made)->id_count(), 3);
    if ((*made)->own_id() >= 0) makers.push_back(rank);
  }
  EXPECT_EQ(makers, (std::vector<uint32_t>{0, 200, 400}));
  ::unsetenv("MUSTER_NCCL_LIBRARY");
  ::unsetenv("MUSTER_CUDA_LIBRARY");
}

TEST(RealNccl, IsAsDeclared) {
  const char* path = std::getenv("MUSTER_NCCL");
  if (path == nullptr) GTEST_SKIP() << "set MUSTER_NCCL to a libnccl.so.2 (the PyPI wheel nvidia-nccl-cu13 has one)";
  ::setenv("MUSTER_NCCL_LIBRARY", path, 1);
  const Result<NcclLibrary> library = NcclLibrary::load();
  ::unsetenv("MUSTER_NCCL_LIBRARY");
  ASSERT_TRUE(library.ok()) << library.status().message();
  EXPECT_GE(library->version, nccl::with_shrink);
  EXPECT_TRUE(library->split && library->shrink && library->init_scalable && library->grow);
  ::setenv("NCCL_SOCKET_IFNAME", "lo", 1);
  nccl::UniqueId one{}, other{};
  ASSERT_EQ(library->get_unique_id(&one), nccl::success);
  ASSERT_EQ(library->get_unique_id(&other), nccl::success);
  EXPECT_NE(std::string(one.internal, sizeof one), std::string(other.internal, sizeof other));
}

}  // namespace
}  // namespace muster::worker
