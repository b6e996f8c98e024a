// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/examine/linux_rank_probe.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <optional>
#include <set>

#include "core/system/asio/asio_loop.h"
#include "core/system/asio/run_until.h"
#include "core/system/linux/examine/elf_symbols.h"
#include "core/system/linux/examine/thread_places.h"

extern "C" [[gnu::noinline]] void a_function_that_waits() {
  pause();
  asm volatile("");  // no tail call: the function must be on the stack
}

namespace muster {
namespace {

class RankProbeTest : public testing::Test {
 protected:
  ~RankProbeTest() override {
    if (child_ == 0) return;
    kill(child_, SIGKILL);
    while (waitpid(-1, nullptr, 0) > 0) {  // also its descendants, if this process is their subreaper
    }
  }

  void start(void (*program)()) {
    child_ = fork();
    if (child_ != 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    program();
    _exit(0);
  }

  // Polls every few milliseconds.
  template <typename Done>
  bool eventually(Done done) {
    TimerId timer = 0;
    std::function<void()> tick = [&] { timer = loop_.at(loop_.now() + std::chrono::milliseconds(5), tick); };
    tick();
    const bool in_time = run_until(loop_, done);
    loop_.cancel(timer);
    return in_time;
  }

  bool until_state(char state) {
    return eventually([&] { return probe_.look(child_, {}, false).state == state; });
  }

  AsioLoop loop_;
  LinuxRankProbe probe_{loop_};
  pid_t child_ = 0;
};

TEST_F(RankProbeTest, AStopIsSeenAndThatItDidNotRun) {
  start(a_function_that_waits);
  ASSERT_TRUE(until_state('S'));
  kill(child_, SIGSTOP);
  ASSERT_TRUE(until_state('T'));
  const uint64_t runs = probe_.look(child_, {}, false).runs;
  EXPECT_GT(runs, 0u);
  EXPECT_EQ(probe_.look(child_, {}, false).runs, runs);
  kill(child_, SIGCONT);
  ASSERT_TRUE(until_state('S'));
  kill(child_, SIGSTOP);
  ASSERT_TRUE(until_state('T'));
  EXPECT_GT(probe_.look(child_, {}, false).runs, runs);
}

TEST_F(RankProbeTest, LifeCountsWhatItDoes) {
  start([] {
    volatile uint64_t sum = 0;
    while (true) sum = sum + 1;
  });
  const RankActivity first = *probe_.look(child_, {}, true).life;
  ASSERT_TRUE(eventually([&] { return probe_.look(child_, {}, true).life->cpu > first.cpu; }));
  EXPECT_EQ(probe_.look(child_, {}, true).life->processes, static_cast<uint64_t>(child_));
}

std::set<pid_t> pids_of(const Family& family) {
  std::set<pid_t> pids;
  for (const ProcessStat& one : family) pids.insert(one.pid);
  return pids;
}

void with_a_child_of_each(int threads) {
  const auto parent = [](void*) -> void* {
    if (fork() == 0) prctl(PR_SET_PDEATHSIG, SIGKILL);
    pause();
    return nullptr;
  };
  pthread_t thread{};
  for (int i = 1; i < threads; ++i) pthread_create(&thread, nullptr, parent, nullptr);
  parent(nullptr);
}

TEST_F(RankProbeTest, TheFamilyOfFewThreadsIsTheOneThatTheTableTells) {
  start([] { with_a_child_of_each(3); });
  ASSERT_TRUE(eventually([&] { return family_in(read_process_table(), child_).size() == 4; }));
  const auto few = small_family(child_);
  const std::string child = std::to_string(child_);
  if (access(("/proc/" + child + "/task/" + child + "/children").c_str(), F_OK) != 0) {
    EXPECT_FALSE(few) << "without CONFIG_PROC_CHILDREN, the table is used";
    return;
  }
  ASSERT_TRUE(few);
  EXPECT_EQ(pids_of(*few), pids_of(family_in(read_process_table(), child_)));
  EXPECT_TRUE(small_family(INT32_MAX)->empty());
}

TEST_F(RankProbeTest, ManyThreadsAreLeftToTheTable) {
  start([] { with_a_child_of_each(20); });
  ASSERT_TRUE(eventually([&] { return family_in(read_process_table(), child_).size() == 21; }));
  EXPECT_FALSE(small_family(child_));
  uint64_t sum = 0;
  for (const pid_t pid : pids_of(family_in(read_process_table(), child_))) sum += static_cast<uint64_t>(pid);
  EXPECT_EQ(probe_.look(child_, {}, true).life->processes, sum);
}

TEST_F(RankProbeTest, OfOneThatWaitsForItsOnlyChildTheChildIsSeen) {
  start([] {
    const pid_t below = fork();
    if (below == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      while (true) kill(getpid(), SIGSTOP);
    }
    waitpid(below, nullptr, 0);
  });
  EXPECT_TRUE(until_state('T'));
}

// A rank found asleep keeps its records, and only then the next sample reads nothing else.
TEST_F(RankProbeTest, OneThatHasSleptForLooksIsSeenToStopAndToEnd) {
  start(a_function_that_waits);
  ASSERT_TRUE(until_state('S'));
  for (int look = 0; look < 3; ++look) EXPECT_EQ(probe_.look(child_, {}, false).state, 'S');
  kill(child_, SIGSTOP);
  EXPECT_TRUE(until_state('T'));
  kill(child_, SIGCONT);
  ASSERT_TRUE(until_state('S'));
  for (int look = 0; look < 3; ++look) EXPECT_EQ(probe_.look(child_, {}, false).state, 'S');
  kill(child_, SIGKILL);
  EXPECT_TRUE(until_state('Z'));
}

TEST_F(RankProbeTest, AChildThatHasSleptForLooksBelowOneThatWaitsForItIsSeenToStop) {
  start([] {
    const pid_t below = fork();
    if (below == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      a_function_that_waits();
    }
    waitpid(below, nullptr, 0);
  });
  std::optional<AwaitedProcess> below;
  ASSERT_TRUE(eventually([&] {
    below = awaited_process(child_);
    return below && below->pid != child_ && below->state == 'S';
  }));
  for (int look = 0; look < 3; ++look) EXPECT_EQ(probe_.look(child_, {}, false).state, 'S');
  kill(below->pid, SIGSTOP);
  EXPECT_TRUE(until_state('T'));
}

TEST_F(RankProbeTest, WhetherOneHasRunIsTold) {
  EXPECT_FALSE(RunRecord::of(INT32_MAX));
  const std::string statistics = read_small_file("/proc/self/schedstat").value_or("");
  if (statistics.empty() || statistics.starts_with("0 0 0")) {
    EXPECT_FALSE(RunRecord::of(getpid())) << "a kernel without these statistics";
    return;
  }
  start(a_function_that_waits);
  ASSERT_TRUE(until_state('S'));
  std::optional<RunRecord> record;
  ASSERT_TRUE(
      eventually([&] { return record && record->has_rested() ? true : (record = RunRecord::of(child_), false); }));
  kill(child_, SIGSTOP);
  EXPECT_TRUE(eventually([&] { return !record->has_rested(); }));
  kill(child_, SIGKILL);
  ASSERT_EQ(waitpid(child_, nullptr, 0), child_);
  EXPECT_FALSE(record->has_rested()) << "it is gone";
  child_ = 0;
}

TEST_F(RankProbeTest, NobodyIsGone) { EXPECT_EQ(probe_.look(INT32_MAX, {}, true).state, '?'); }

TEST_F(RankProbeTest, WhereItStandsIsToldInALaterTurn) {
  start(a_function_that_waits);
  ASSERT_TRUE(until_state('S'));
  std::optional<RankLocation> found;
  probe_.examine(child_, [](const RankLocation&, bool) {});
  probe_.examine(child_, [&](const RankLocation& location, bool more) {
    if (!more) found = location;
  });
  EXPECT_FALSE(found);
  ASSERT_TRUE(eventually([&] { return found.has_value(); }));
  EXPECT_NE(found->place.find("pause"), std::string::npos) << found->place;
  EXPECT_NE(found->stack.find("  thread " + std::to_string(child_)), std::string::npos) << found->stack;
#if defined(__x86_64__)
  EXPECT_NE(found->stack.find("a_function_that_waits"), std::string::npos) << found->stack;
#endif
}

TEST(CodeMappings, OnlyThoseOfFilesThatCanBeExecuted) {
  const auto found = parse_code_mappings(
      "1000-2000 r--p 00000000 08:01 7 /bin/a\n2000-3000 r-xp 00001000 08:01 7 /bin/a b\n"
      "3000-4000 rwxp 00000000 00:00 0 \nnonsense\n5000-6000 r-xp 00000000 00:00 0 [vdso]\n");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].file, "/bin/a b");
  EXPECT_EQ(found[0].offset, 0x1000u);
  EXPECT_EQ(mapping_of(found, 0x2fff), found.data());
  EXPECT_EQ(mapping_of(found, 0x3000), nullptr);
}

}  // namespace
}  // namespace muster
