// SPDX-License-Identifier: Apache-2.0
#include "backends/ssh/session/asked_lately.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>

namespace muster::ssh {
namespace {

namespace fs = std::filesystem;

class AskedLatelyTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "asked-XXXXXX";
    asked_ = {mkdtemp(name.data()), "/usr/bin/ssh", "a1", {{"USER", "mia"}, {"MUSTER_HOSTS", "a1"}}};
  }
  void TearDown() override { fs::remove_all(asked_.folder); }
  Asked asked_;
};

TEST_F(AskedLatelyTest, AnAnswerServesOnce) {
  EXPECT_FALSE(take_answer(asked_));
  leave_answer(asked_, "/tmp/muster-7/ssh-1");
  Asked job = asked_;
  job.environment.erase("MUSTER_HOSTS");
  EXPECT_EQ(take_answer(job), "/tmp/muster-7/ssh-1");
  EXPECT_FALSE(take_answer(job));
  EXPECT_TRUE(fs::is_empty(asked_.folder));
}

TEST_F(AskedLatelyTest, ThatNothingIsSharedIsAnAnswer) {
  leave_answer(asked_, "");
  EXPECT_EQ(take_answer(asked_), "");
}

TEST_F(AskedLatelyTest, AnotherQuestionHasAnotherAnswer) {
  for (int i = 0; i < 3; ++i) {
    Asked other = asked_;
    if (i == 0) other.environment["USER"] = "tom";
    if (i == 1) other.ssh = "/opt/ssh";
    if (i == 2) other.host = "a2";
    leave_answer(asked_, "/s");
    EXPECT_FALSE(take_answer(other)) << i;
  }
}

TEST_F(AskedLatelyTest, AnOldAnswerIsNone) {
  leave_answer(asked_, "/s");
  for (const auto& file : fs::directory_iterator(asked_.folder))
    fs::last_write_time(file, fs::last_write_time(file) - std::chrono::seconds(7));
  EXPECT_FALSE(take_answer(asked_));
  EXPECT_TRUE(fs::is_empty(asked_.folder));
}

}  // namespace
}  // namespace muster::ssh
