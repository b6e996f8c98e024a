// SPDX-License-Identifier: Apache-2.0
#include "core/client/connect/steady_client.h"

#include <gtest/gtest.h>

#include "core/client/follow/follow_fakes.h"

namespace muster {
namespace {

const Status kGone(Code::unavailable, "nobody is there");

std::unique_ptr<FakeClient> client(const Status& stop_answer) {
  auto made = std::make_unique<FakeClient>();
  made->stop_answer = stop_answer;
  return made;
}

class SteadyClientTest : public testing::Test {
 protected:
  // Calls stop() on a client whose controller is gone. The next `leaving` controllers are gone too; then one answers
  // `last`.
  Status stop(int leaving, const Status& last) {
    SteadyClient steady(client(kGone), [this, leaving, last]() -> Result<std::unique_ptr<ControlClient>> {
      return std::unique_ptr<ControlClient>(client(++connects_ > leaving ? last : kGone));
    });
    return steady.stop("job", SIGTERM, Duration(0));
  }

  int connects_ = 0;
};

TEST_F(SteadyClientTest, ACallThatFindsNobodyGoesToTheNextController) {
  EXPECT_TRUE(stop(2, Status()).ok());
  EXPECT_EQ(connects_, 3);
}

TEST_F(SteadyClientTest, AnAnswerIsAnAnswer) {
  EXPECT_EQ(stop(0, Status(Code::failed_precondition, "it has ended")).code(), Code::failed_precondition);
  EXPECT_EQ(connects_, 1);
}

TEST_F(SteadyClientTest, ItGivesUpWithTheReason) {
  EXPECT_EQ(stop(100, Status()), kGone);
  EXPECT_EQ(connects_, 4);
}

TEST_F(SteadyClientTest, WithoutAControllerToFindTheFirstAnswerStands) {
  SteadyClient steady(client(kGone), []() -> Result<std::unique_ptr<ControlClient>> {
    return Status(Code::unavailable, "none could be started");
  });
  EXPECT_EQ(steady.stop("job", SIGTERM, Duration(0)), kGone);
}

}  // namespace
}  // namespace muster
