#include "core/worker/client/glance.h"

#include <gtest/gtest.h>

namespace muster::worker {
namespace {

using std::chrono::microseconds;

// How many of so many calls look, where one that does takes `looking` and another `sleeping`.
int looks(Glance& glance, int calls, Duration looking, Duration sleeping) {
  int count = 0;
  for (int i = 0; i < calls; ++i) {
    const bool look = glance.next();
    glance.took(look, look ? looking : sleeping);
    count += look ? 1 : 0;
  }
  return count;
}

TEST(Glance, DoesWhatTookLess) {
  Glance glance;
  EXPECT_GT(looks(glance, 1600, microseconds(7), microseconds(10)), 1400);
}

TEST(Glance, ChangesItsMindWithTheMachine) {
  Glance glance;
  looks(glance, 1600, microseconds(7), microseconds(10));
  EXPECT_LT(looks(glance, 1600, microseconds(20), microseconds(10)), 200);
  EXPECT_GT(looks(glance, 1600, microseconds(7), microseconds(10)), 1000);
}

TEST(Glance, OneCallThatWasPutAsideDoesNotDecide) {
  Glance glance;
  looks(glance, 1600, microseconds(7), microseconds(10));
  glance.took(true, std::chrono::seconds(1));
  EXPECT_GT(looks(glance, 1600, microseconds(7), microseconds(10)), 1000);
}

}  // namespace
}  // namespace muster::worker
