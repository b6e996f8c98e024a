// SPDX-License-Identifier: Apache-2.0
#include "core/base/shared_vector.h"

#include <gtest/gtest.h>

#include <string>

namespace muster {
namespace {

struct Sum {
  int items = 0;
  int sum = 0;
  void add(int item) { ++items, sum += item; }
  void add(const Sum& other) { items += other.items, sum += other.sum; }
};
using Numbers = SharedVector<int, Sum>;

Numbers counted_to(int count) {
  Numbers numbers;
  for (int i = 0; i < count; ++i) numbers.push_back(i);
  return numbers;
}

std::vector<size_t> unshared(const Numbers& one, const Numbers& other) {
  std::vector<size_t> found;
  one.for_each_unshared(other, [&](size_t at) { found.push_back(at); });
  return found;
}

TEST(SharedVector, HoldsWhatAVectorHolds) {
  const Numbers numbers = counted_to(200);
  EXPECT_EQ(numbers.size(), 200u);
  int next = 0;
  for (const int number : numbers) EXPECT_EQ(number, next++);
  EXPECT_EQ(numbers.back(), 199);
  EXPECT_TRUE(Numbers().empty());
  EXPECT_EQ((Numbers{4, 5}).front(), 4);
}

TEST(SharedVector, ACopyKeepsWhatItHad) {
  Numbers numbers = counted_to(200);
  const Numbers before = numbers;
  EXPECT_EQ(numbers, before);
  EXPECT_TRUE(unshared(numbers, before).empty());
  numbers.edit(70) = -1;
  EXPECT_EQ(before[70], 70);
  EXPECT_EQ(numbers[70], -1);
  EXPECT_NE(numbers, before);
  EXPECT_EQ(unshared(numbers, before).size(), Numbers::kBlock);
  numbers.edit(70) = 70;
  EXPECT_EQ(numbers, before);
}

TEST(SharedVector, SettingWhatIsSoCopiesNothing) {
  Numbers numbers = counted_to(100);
  const Numbers before = numbers;
  numbers.set(5, 5);
  EXPECT_TRUE(unshared(numbers, before).empty());
  numbers.set(5, 6);
  EXPECT_FALSE(unshared(numbers, before).empty());
}

TEST(SharedVector, TallyFollowsEveryEdit) {
  Numbers numbers = counted_to(130);
  EXPECT_EQ(numbers.total().sum, 129 * 130 / 2);
  const Numbers before = numbers;
  numbers.edit(129) += 10;
  numbers.push_back(1);
  EXPECT_EQ(numbers.total().sum, 129 * 130 / 2 + 11);
  EXPECT_EQ(numbers.total().items, 131);
  EXPECT_EQ(before.total().items, 130);
}

TEST(SharedVector, GrowsAndShrinksBesideItsCopies) {
  Numbers numbers = counted_to(130);
  const Numbers before = numbers;
  numbers.resize(64);
  EXPECT_EQ(numbers.size(), 64u);
  EXPECT_NE(numbers, before);
  numbers.resize(130);
  EXPECT_EQ(numbers[129], 0);
  EXPECT_EQ(before[129], 129);
  numbers.assign(3, 7);
  EXPECT_EQ(numbers, (Numbers{7, 7, 7}));
  numbers.clear();
  EXPECT_EQ(numbers, Numbers());
  EXPECT_EQ(before.total().items, 130);
}

}  // namespace
}  // namespace muster
