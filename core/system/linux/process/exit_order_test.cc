// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/process/exit_order.h"

#include <sys/wait.h>
#include <unistd.h>

#include <set>

#include "core/system/linux/process/process_host_fixture.h"

namespace muster {
namespace {

class ExitOrderTest : public testing::Test {
 protected:
  void report(const std::vector<pid_t>& beside) {
    order.report_after(beside, [this] { ++reported; });
  }

  AsioLoop loop;
  std::set<pid_t> ending;
  ExitOrder order{loop, [this](pid_t pid) { return ending.contains(pid); }};
  int reported = 0;
};

TEST_F(ExitOrderTest, NoOtherIsEnding_IsReportedAtOnce) {
  report({7, 8});
  EXPECT_EQ(reported, 1);
}

TEST_F(ExitOrderTest, AnotherIsEnding_IsReportedAfterIt) {
  ending = {8};
  report({7, 8});
  EXPECT_EQ(reported, 0);
  loop.post([this] { ending = {7}; });  // 7 has begun later
  EXPECT_TRUE(run_until(loop, [&] { return reported == 1; }));
  EXPECT_EQ(ending, std::set<pid_t>{7});
}

TEST_F(ExitOrderTest, AnotherDoesNotEnd_IsReportedAllTheSame) {
  ending = {8};
  report({8});
  EXPECT_TRUE(run_until(loop, [&] { return reported == 1; }));
}

TEST(HasBegunToExit, AChildThatIsNotReaped_HasBegun) {
  EXPECT_FALSE(has_begun_to_exit(getpid()));
  const pid_t child = fork();
  if (child == 0) _exit(0);
  siginfo_t info{};
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT), 0);
  EXPECT_TRUE(has_begun_to_exit(child));
  waitpid(child, nullptr, 0);
  EXPECT_FALSE(has_begun_to_exit(child));
}

}  // namespace
}  // namespace muster
