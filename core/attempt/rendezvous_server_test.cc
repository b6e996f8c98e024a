// SPDX-License-Identifier: Apache-2.0
#include "core/attempt/rendezvous_server.h"

#include <gtest/gtest.h>

#include "test/sim/sim_loop.h"

namespace muster {
namespace {

class RendezvousServerTest : public testing::Test {
 protected:
  Code ask(uint32_t index) {
    RendezvousRequest request{1, 1, index, {}};
    request.call.kind = RendezvousCall::Kind::set;
    request.call.key = "k";
    server_.ask(channel_, request);
    return answers_.empty() ? Code::unknown : answers_.back().answer.status.code();
  }

  sim::SimLoop loop_;
  RendezvousServer server_{loop_};
  std::vector<RendezvousReply> answers_;
  uint64_t channel_ = server_.connect([this](const RendezvousReply& reply) { answers_.push_back(reply); });
};

TEST_F(RendezvousServerTest, Ask_OfACoordinatorThatFoundTheAttemptStopping_HasEnded) {
  EXPECT_EQ(ask(0), Code::failed_precondition);
}

TEST_F(RendezvousServerTest, Ask_OfARankThatThePlanDoesNotHave_IsAnInvalidArgument) {
  server_.begin({{0, 0, "rank 0"}, {0, 1, "rank 1"}}, 1, false);
  EXPECT_EQ(ask(2), Code::invalid_argument);
  EXPECT_EQ(ask(1), Code::ok);
}

}  // namespace
}  // namespace muster
