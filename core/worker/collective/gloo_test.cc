// SPDX-License-Identifier: Apache-2.0
// Every operation over Gloo with each type; 1 to 5 ranks, which are threads of this process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include "core/worker/collective/communicator.h"
#include "core/worker/collective/testing/hall.h"

namespace muster::worker {
namespace {

using testing::each_rank;
using testing::Hall;
using namespace std::chrono_literals;

const CommunicatorOptions gloo{.name = "world", .backend = Backend::gloo, .timeout = 60s};

class Gloo : public ::testing::TestWithParam<uint32_t> {
 protected:
  void SetUp() override { ASSERT_TRUE(MUSTER_HAS_GLOO) << "install libgloo-dev, and configure the build again"; }
  // act(communicator) on each rank of `size`.
  template <typename Act>
  void with_ranks(uint32_t size, Act act) {
    Hall hall(size);
    each_rank(hall, [&](Meeting& meeting) {
      auto opened = Communicator::open(meeting, gloo);
      ASSERT_TRUE(opened.ok()) << opened.status().message();
      act(**opened);
    });
  }
};

uint16_t half(int value) {  // exact for small integers
  if (value == 0) return 0;
  int exponent = 15;
  int fraction = value;
  while (fraction < 1024) fraction *= 2, --exponent;
  while (fraction >= 2048) fraction /= 2, ++exponent;
  return static_cast<uint16_t>((exponent + 10) << 10 | (fraction & 1023));
}

// Stores `value` as element `i` of memory of the given type.
void put(std::vector<char>& memory, Type type, size_t i, int value) {
  char* at = memory.data() + i * bytes_of(type);
  const auto store = [&](auto typed) { std::memcpy(at, &typed, sizeof typed); };
  switch (type) {
    case Type::int8: return store(static_cast<int8_t>(value));
    case Type::uint8: return store(static_cast<uint8_t>(value));
    case Type::int32: return store(static_cast<int32_t>(value));
    case Type::uint32: return store(static_cast<uint32_t>(value));
    case Type::int64: return store(static_cast<int64_t>(value));
    case Type::uint64: return store(static_cast<uint64_t>(value));
    case Type::float16: return store(half(value));
    case Type::float32: return store(static_cast<float>(value));
    case Type::float64: return store(static_cast<double>(value));
    case Type::bfloat16: break;
  }
}

int seed(uint32_t rank, size_t i) { return static_cast<int>(rank + 1 + i % 3); }

int reduced(Reduce reduce, uint32_t ranks, size_t i) {
  int result = seed(0, i);
  for (uint32_t rank = 1; rank < ranks; ++rank) {
    const int value = seed(rank, i);
    switch (reduce) {
      case Reduce::product: result *= value; break;
      case Reduce::min: result = std::min(result, value); break;
      case Reduce::max: result = std::max(result, value); break;
      default: result += value;
    }
  }
  return result;
}

std::vector<char> filled(Type type, size_t count, const std::function<int(size_t)>& value) {
  std::vector<char> memory(count * bytes_of(type));
  for (size_t i = 0; i < count; ++i) put(memory, type, i, value(i));
  return memory;
}

constexpr Type types[] = {Type::int8,   Type::uint8,   Type::int32,   Type::uint32, Type::int64,
                          Type::uint64, Type::float16, Type::float32, Type::float64};

TEST_P(Gloo, ReducesEveryTypeEveryWay) {
  with_ranks(GetParam(), [](Communicator& all) {
    for (const Type type : types) {
      for (const Reduce reduce : {Reduce::sum, Reduce::product, Reduce::min, Reduce::max}) {
        for (const size_t count : {size_t{1}, size_t{7}, size_t{40'001}}) {
          const bool overflows =
              reduce == Reduce::product && (bytes_of(type) == 1 || type == Type::float16) && all.size() > 3;
          if (overflows) continue;
          const auto in = filled(type, count, [&](size_t i) { return seed(all.rank(), i); });
          std::vector<char> out(in.size());
          const Status status = all.all_reduce(in.data(), out.data(), count, type, reduce);
          ASSERT_TRUE(status.ok()) << status.message();
          const auto expected = filled(type, count, [&](size_t i) { return reduced(reduce, all.size(), i); });
          EXPECT_EQ(out, expected) << to_string(type) << ' ' << to_string(reduce) << ' ' << count;
        }
      }
    }
  });
}

TEST_P(Gloo, ReducesInPlaceAndLarge) {
  with_ranks(GetParam(), [](Communicator& all) {
    for (const size_t count : {size_t{0}, size_t{3}, size_t{100'003}, size_t{3'000'001}}) {
      std::vector<float> values(count);
      for (size_t i = 0; i < count; ++i) values[i] = static_cast<float>(seed(all.rank(), i));
      ASSERT_EQ(all.all_reduce(values.data(), values.data(), count, Type::float32, Reduce::sum), Status());
      for (size_t i = 0; i < count; ++i)
        ASSERT_EQ(values[i], reduced(Reduce::sum, all.size(), i)) << i << " of " << count;
    }
  });
}

TEST_P(Gloo, AveragesFloats) {
  with_ranks(GetParam(), [](Communicator& all) {
    for (const size_t count : {size_t{5}, size_t{50'000}}) {
      std::vector<double> values(count, all.rank());
      ASSERT_EQ(all.all_reduce(values.data(), values.data(), count, Type::float64, Reduce::average), Status());
      EXPECT_THAT(values, ::testing::Each((all.size() - 1) / 2.0));
      std::vector<uint16_t> halves(count, half(static_cast<int>(2 * all.rank())));
      ASSERT_EQ(all.all_reduce(halves.data(), halves.data(), count, Type::float16, Reduce::average), Status());
      EXPECT_THAT(halves, ::testing::Each(half(static_cast<int>(all.size() - 1))));
    }
  });
}

TEST_P(Gloo, ScattersWhatItReduces) {
  with_ranks(GetParam(), [](Communicator& all) {
    for (const size_t count : {size_t{1}, size_t{77}, size_t{150'001}}) {
      for (const Type type : {Type::int64, Type::float32}) {
        const auto in = filled(type, count * all.size(), [&](size_t i) { return seed(all.rank(), i); });
        std::vector<char> out(count * bytes_of(type));
        ASSERT_EQ(all.reduce_scatter(in.data(), out.data(), count, type, Reduce::sum), Status());
        const auto expected =
            filled(type, count, [&](size_t i) { return reduced(Reduce::sum, all.size(), all.rank() * count + i); });
        EXPECT_EQ(out, expected) << count;
      }
    }
  });
}

TEST_P(Gloo, Gathers) {
  with_ranks(GetParam(), [](Communicator& all) {
    for (const size_t count : {size_t{1}, size_t{500}, size_t{200'001}}) {
      const std::vector<uint32_t> in(count, all.rank() + 10);
      std::vector<uint32_t> out(count * all.size());
      ASSERT_EQ(all.all_gather(in.data(), out.data(), count, Type::uint32), Status());
      for (size_t i = 0; i < out.size(); ++i) ASSERT_EQ(out[i], i / count + 10);
    }
  });
}

TEST_P(Gloo, BroadcastsFromEachRoot) {
  with_ranks(GetParam(), [](Communicator& all) {
    for (uint32_t root = 0; root < all.size(); ++root) {
      for (const size_t count : {size_t{1}, size_t{900'001}}) {
        std::vector<int32_t> data(count);
        if (all.rank() == root) std::iota(data.begin(), data.end(), static_cast<int32_t>(root));
        ASSERT_EQ(all.broadcast(data.data(), count, Type::int32, root), Status());
        for (size_t i = 0; i < count; ++i) ASSERT_EQ(data[i], static_cast<int32_t>(root + i));
      }
    }
  });
}

TEST_P(Gloo, SendsAroundTheRing) {
  with_ranks(GetParam(), [](Communicator& all) {
    if (all.size() == 1) return;
    const uint32_t before = (all.rank() + all.size() - 1) % all.size(), after = (all.rank() + 1) % all.size();
    for (const size_t count : {size_t{0}, size_t{1}, size_t{1'500'000}}) {
      const std::vector<float> mine(count, static_cast<float>(all.rank()));
      std::vector<float> theirs(count, -1);
      for (int turn = 0; turn < 2; ++turn) {
        const bool sends = (turn == 0) == (all.rank() == 0);
        const Status status = sends ? all.send(mine.data(), count, Type::float32, after)
                                    : all.receive(theirs.data(), count, Type::float32, before);
        ASSERT_EQ(status, Status());
      }
      EXPECT_EQ(std::count(theirs.begin(), theirs.end(), static_cast<float>(before)), std::ssize(theirs));
    }
  });
}

TEST_P(Gloo, BarrierHoldsUntilAllAreThere) {
  std::atomic<uint32_t> came = 0;
  with_ranks(GetParam(), [&](Communicator& all) {
    for (uint32_t round = 1; round <= 50; ++round) {
      ++came;
      ASSERT_EQ(all.barrier(), Status());
      ASSERT_GE(came.load(), round * all.size());
      ASSERT_EQ(all.barrier(), Status());
    }
  });
}

TEST_P(Gloo, SplitsByColorInOrderOfKey) {
  with_ranks(GetParam(), [](Communicator& all) {
    const int32_t color = static_cast<int32_t>(all.rank() % 2);
    auto part = all.split(all.rank() == 4 ? -1 : color, -static_cast<int32_t>(all.rank()), "part");
    ASSERT_TRUE(part.ok()) << part.status().message();
    if (all.rank() == 4) {
      EXPECT_EQ(*part, nullptr);
      return;
    }
    const uint32_t world = std::min(all.size(), 4U);
    ASSERT_EQ((*part)->size(), (world + 1 - all.rank() % 2) / 2);
    EXPECT_EQ((*part)->rank(), (*part)->size() - 1 - all.rank() / 2);
    uint32_t sum = all.rank();
    ASSERT_EQ((*part)->all_reduce(&sum, &sum, 1, Type::uint32, Reduce::sum), Status());
    EXPECT_EQ(sum, all.rank() % 2 == 0 ? (world > 2 ? 2U : 0U) : (world > 3 ? 4U : 1U));
  });
}

TEST_P(Gloo, ShrinksToTheRest) {
  if (GetParam() < 2) return;
  with_ranks(GetParam(), [](Communicator& all) {
    if (all.rank() == 1) return;
    auto rest = all.shrink({1}, "rest");
    ASSERT_TRUE(rest.ok()) << rest.status().message();
    ASSERT_EQ((*rest)->size(), all.size() - 1);
    uint32_t sum = 1;
    ASSERT_EQ((*rest)->all_reduce(&sum, &sum, 1, Type::uint32, Reduce::sum), Status());
    EXPECT_EQ(sum, all.size() - 1);
  });
}

TEST_P(Gloo, OpensOneNameAgainAndSeveralBesideEachOther) {
  Hall hall(GetParam());
  each_rank(hall, [](Meeting& meeting) {
    for (int again = 0; again < 3; ++again) {
      auto first = Communicator::open(meeting, gloo);
      auto second = Communicator::open(meeting, gloo);
      ASSERT_TRUE(first.ok() && second.ok());
      int32_t one = 1, two = 2;
      ASSERT_EQ((*second)->all_reduce(&two, &two, 1, Type::int32, Reduce::sum), Status());
      ASSERT_EQ((*first)->all_reduce(&one, &one, 1, Type::int32, Reduce::sum), Status());
      EXPECT_EQ(two, 2 * one);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Ranks, Gloo, ::testing::Values(1, 2, 3, 4, 5), ::testing::PrintToStringParamName());

}  // namespace
}  // namespace muster::worker
