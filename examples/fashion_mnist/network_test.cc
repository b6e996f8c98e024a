// SPDX-License-Identifier: Apache-2.0
#include "network.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "schedule.h"

namespace fm {
namespace {

Dataset some_images(std::size_t count) {
  Dataset data;
  Random random(7);
  for (std::size_t i = 0; i < count * kPixels; ++i) data.pixels.push_back(static_cast<std::uint8_t>(random.next()));
  for (std::size_t i = 0; i < count; ++i) data.labels.push_back(static_cast<std::uint8_t>(random.next() % kClasses));
  return data;
}

std::vector<std::uint32_t> numbers(std::size_t count) {
  std::vector<std::uint32_t> all(count);
  std::iota(all.begin(), all.end(), 0U);
  return all;
}

using Shares = std::vector<std::int32_t>;

Shares shares_of(Network& network, const Selection& some, std::size_t batch) {
  network.learn(some, batch, false);
  return {network.shares(), network.shares() + kShares};
}

// The shares of all images, divided into slices for this number of ranks.
Shares shares_of_ranks(Network& network, const Dataset& data, std::uint32_t ranks) {
  const auto all = numbers(data.size());
  Shares added(kShares);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    const auto [from, to] = slice(all.size(), rank, ranks);
    const Shares part = shares_of(network, {data, all.data() + from, to - from}, all.size());
    for (std::size_t i = 0; i < kShares; ++i) added[i] += part[i];
  }
  return added;
}

TEST(Network, GradientsAreSlopesOfTheLoss) {
  const Dataset data = some_images(5);
  const auto all = numbers(5);
  const auto network = make_cpu_network(8);
  std::vector<float> state = first_state(3);
  network->set_state(state);
  std::vector<double> gradient;
  for (const std::int32_t share : shares_of(*network, {data, all.data(), 5}, 5))
    gradient.push_back(share / double{kOne});
  const auto loss_with = [&](std::size_t at, float value) {
    std::vector<float> changed = state;
    changed[at] = value;
    network->set_state(changed);
    return shares_of(*network, {data, all.data(), 5}, 5)[kLoss] / double{kOne};
  };
  for (const std::size_t at :
       {kWeights1 + 4, kBias1 + 2, kWeights2 + 77, kBias2 + 9, kBias3 + 5, kWeights4 + 33, kBias4 + 3}) {
    const float step = 1e-2F;
    const double right = (loss_with(at, state[at] + step) - gradient[kLoss]) / step;
    const double left = (gradient[kLoss] - loss_with(at, state[at] - step)) / step;
    EXPECT_NEAR(gradient[at], (left + right) / 2, std::abs(right - left) / 2 + 0.02 * (0.1 + std::abs(gradient[at])))
        << at;
  }
}

TEST(Network, SlicesAddUpToTheLastBit) {
  for (const std::size_t count : {128, 37}) {
    const Dataset data = some_images(count);
    const auto network = make_cpu_network(128);
    network->set_state(first_state(1));
    const Shares whole = shares_of_ranks(*network, data, 1);
    for (const std::uint32_t ranks : {2U, 3U, 4U, 8U}) EXPECT_EQ(shares_of_ranks(*network, data, ranks), whole);
  }
}

TEST(Network, GradientsBeyondMeasureDoNotOverflow) {
  const Dataset data = some_images(64);
  const auto network = make_cpu_network(64);
  std::vector<float> state = first_state(1);
  for (float& value : state) value *= 1e6F;
  network->set_state(state);
  for (const std::int32_t share : shares_of_ranks(*network, data, 2)) {
    ASSERT_LE(std::abs(static_cast<double>(share)), kMost * kOne * 1.001);
  }
}

TEST(Network, AnEmptySliceAddsOnlyItsVote) {
  const Dataset data = some_images(1);
  const auto network = make_cpu_network(64);
  network->set_state(first_state(1));
  network->learn({data, nullptr, 0}, 1, true);
  Shares expected(kShares);
  expected[kStopVotes] = 1;
  EXPECT_EQ(Shares(network->shares(), network->shares() + kShares), expected);
}

TEST(Network, JudgesInPiecesAsAtOnce) {
  const Dataset data = some_images(50);
  const auto all = numbers(50);
  const auto small = make_cpu_network(20), large = make_cpu_network(64);
  small->set_state(first_state(1));
  large->set_state(first_state(1));
  small->judge({data, all.data(), 50}, 50);
  large->judge({data, all.data(), 50}, 50);
  EXPECT_NEAR(small->copy_counts()[0] / kOne, large->copy_counts()[0] / kOne, 1e-5);
  EXPECT_NEAR(50 * small->copy_counts()[1] / kOne, 50 * large->copy_counts()[1] / kOne, 1e-3);
}

TEST(Network, LearnsAHandfulByHeart) {
  const Dataset data = some_images(16);
  const auto all = numbers(16);
  const auto network = make_cpu_network(16);
  network->set_state(first_state(1));
  for (int step = 0; step < 100; ++step) {
    network->learn({data, all.data(), 16}, 16, false);
    network->update(0.02F, 0.9F);
  }
  EXPECT_EQ(network->copy_counts()[1], kOne);
  EXPECT_LT(network->copy_counts()[0] / kOne, 0.1);
}

#ifdef FASHION_MNIST_CUDA
TEST(GpuNetwork, AgreesWithTheProcessors) {
  std::unique_ptr<Network> gpu;
  try {
    gpu = make_gpu_network(64);
  } catch (const std::runtime_error& error) {
    GTEST_SKIP() << error.what();
  }
  const Dataset data = some_images(50);
  const auto cpu = make_cpu_network(64);
  const auto all = numbers(50);
  gpu->set_state(first_state(1));
  cpu->set_state(first_state(1));
  for (int step = 0; step < 3; ++step) {
    gpu->learn({data, all.data(), 50}, 50, true);
    cpu->learn({data, all.data(), 50}, 50, true);
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(gpu->copy_counts()[i] / kOne, cpu->copy_counts()[i] / kOne, 1e-3);
    gpu->update(0.02F, 0.9F);
    cpu->update(0.02F, 0.9F);
  }
  const std::vector<float> found = gpu->copy_state(), expected = cpu->copy_state();
  for (std::size_t i = 0; i < kState; ++i) ASSERT_NEAR(found[i], expected[i], 1e-3) << i;
}
#endif

TEST(FirstState, DependsOnTheSeedAlone) {
  EXPECT_EQ(first_state(5), first_state(5));
  EXPECT_NE(first_state(5), first_state(6));
}

}  // namespace
}  // namespace fm
