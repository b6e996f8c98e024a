#include "core/wire/worker/patience.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

// How many of so many times it looks, if all looks find something, or none does.
int looks(Patience& patience, int times, bool found) {
  int count = 0;
  for (int i = 0; i < times; ++i) {
    if (!patience.next()) continue;
    ++count;
    patience.was_worth_it(found);
  }
  return count;
}

TEST(Patience, LooksAsLongAsThatFindsSomething) {
  Patience patience;
  EXPECT_EQ(looks(patience, 1000, true), 1000);
}

TEST(Patience, TriesSeldomWhatIsInVain) {
  Patience patience;
  EXPECT_LT(looks(patience, 3200, false), 150);
  EXPECT_GT(looks(patience, 3200, false), 50);
}

TEST(Patience, OneLookInVainBetweenOthersIsNothing) {
  Patience patience;
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(looks(patience, 1, true), 1);
    EXPECT_EQ(looks(patience, 1, false), 1);
  }
}

TEST(Patience, ComesBackWhereItIsWorthItAgain) {
  Patience patience;
  looks(patience, 100, false);
  EXPECT_GT(looks(patience, 1000, true), 900);
}

}  // namespace
}  // namespace muster
