// SPDX-License-Identifier: Apache-2.0
#include "backends/ssh/relay/agent_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace muster {
namespace {

using testing::ElementsAre;

// This process is the guardian.
class AgentWatchTest : public testing::Test {
 protected:
  void SetUp() override {
    agent_ = fork();
    if (agent_ != 0) return;
    while (true) pause();
  }
  void TearDown() override {
    kill(agent_, SIGKILL);
    waitpid(agent_, nullptr, 0);
  }
  void wait_until(int flag) { ASSERT_EQ(waitpid(agent_, nullptr, flag), agent_); }
  void look() {
    watch_.look([] { return getpid(); });
  }

  pid_t agent_ = 0;
  std::vector<pid_t> told_;
  AgentWatch watch_{[this](pid_t pid) { told_.push_back(pid); }, std::chrono::milliseconds(0)};
};

TEST_F(AgentWatchTest, AgentIsStoppedAndContinued_EachIsToldOnce) {
  look();
  EXPECT_THAT(told_, ElementsAre());
  kill(agent_, SIGSTOP);
  wait_until(WUNTRACED);
  look();
  look();
  EXPECT_THAT(told_, ElementsAre(agent_));
  resume_agent(getpid());
  wait_until(WCONTINUED);
  look();
  look();
  EXPECT_THAT(told_, ElementsAre(agent_, 0));
}

TEST_F(AgentWatchTest, NoGuardian_NothingIsTold) {
  kill(agent_, SIGSTOP);
  wait_until(WUNTRACED);
  watch_.look([] { return 0; });
  EXPECT_THAT(told_, ElementsAre());
  resume_agent(0);
}

TEST_F(AgentWatchTest, LookedAMomentAgo_DoesNotLookAgain) {
  int looks = 0;
  AgentWatch watch([](pid_t) {}, std::chrono::hours(1));
  for (int i = 0; i < 3; ++i) watch.look([&] { return ++looks, 0; });
  EXPECT_EQ(looks, 1);
}

}  // namespace
}  // namespace muster
