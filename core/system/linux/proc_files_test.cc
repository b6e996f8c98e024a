// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/proc_files.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace muster {
namespace {

TEST(ProcFiles, StatSurvivesBracketsAndBlanksInTheCommand) {
  const auto stat = parse_stat(
      "4711 (a) R 9 (b) S 1 4711 4700 34816 4711 4194304 1 2 3 4 5 6 7 8 20 0 1 0 98765 1000000 250 "
      "18446744073709551615");
  ASSERT_TRUE(stat.has_value());
  EXPECT_EQ(stat->pid, 4711);
  EXPECT_EQ(stat->command, "a) R 9 (b");
  EXPECT_EQ(stat->state, 'S');
  EXPECT_EQ(stat->parent, 1);
  EXPECT_EQ(stat->group, 4711);
  EXPECT_EQ(stat->session, 4700);
  EXPECT_EQ(stat->start_ticks, 98765u);
  EXPECT_EQ(stat->rss_pages, 250u);
}

TEST(ProcFiles, GarbageIsNoStat) {
  EXPECT_FALSE(parse_stat("").has_value());
  EXPECT_FALSE(parse_stat("1 (x) S 1").has_value());
  EXPECT_FALSE(read_stat(0).has_value());
}

TEST(ProcFiles, OwnStat) {
  const auto stat = read_stat(getpid());
  ASSERT_TRUE(stat.has_value());
  EXPECT_EQ(stat->parent, getppid());
  EXPECT_EQ(stat->group, getpgrp());
  EXPECT_GT(stat->rss_pages, 100u);
  EXPECT_EQ(start_ticks(getpid()), stat->start_ticks);
}

TEST(ProcFiles, ChildrenAreFoundBothWaysZombiesToo) {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  siginfo_t info{};
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT), 0);
  EXPECT_EQ(own_children(), std::vector<pid_t>{child});
  EXPECT_EQ(own_children_by_scan(), std::vector<pid_t>{child});
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(child), &info, WEXITED), 0);
  EXPECT_TRUE(own_children().empty());
}

}  // namespace
}  // namespace muster
