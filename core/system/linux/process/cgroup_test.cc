// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/process/cgroup.h"

#include <signal.h>
#include <sys/wait.h>

#include "core/system/linux/cgroup_paths.h"
#include "core/system/linux/process/process_host_fixture.h"

namespace muster {
namespace {

TEST(CgroupPaths, VersionTwoAlone) {
  EXPECT_EQ(find_cgroup_folder("0::/user.slice/u.scope\n",
                               "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw\n", ""),
            "/sys/fs/cgroup/user.slice/u.scope");
}

TEST(CgroupPaths, VersionOneByController) {
  const std::string own = "5:cpu,cpuacct:/a\n4:memory:/job\n0::/\n";
  const std::string mounts =
      "31 30 0:27 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"
      "32 30 0:28 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n";
  EXPECT_EQ(find_cgroup_folder(own, mounts, "memory"), "/sys/fs/cgroup/memory/job");
  EXPECT_EQ(find_cgroup_folder(own, mounts, "cpuacct"), "/sys/fs/cgroup/cpu/a");
  EXPECT_EQ(find_cgroup_folder(own, mounts, "pids"), std::nullopt);
  EXPECT_EQ(find_cgroup_folder(own, mounts, ""), std::nullopt);
}

TEST(CgroupPaths, AContainerSeesAPartOfTheHierarchy) {
  const std::string mounts = "32 30 0:28 /docker/abc /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";
  EXPECT_EQ(find_cgroup_folder("0::/docker/abc/x\n", mounts, ""), "/sys/fs/cgroup/x");
  EXPECT_EQ(find_cgroup_folder("0::/docker/abc\n", mounts, ""), "/sys/fs/cgroup");
  EXPECT_EQ(find_cgroup_folder("0::/../outside\n", "1 1 0:1 / /c rw - cgroup2 x rw\n", ""), "/c");
}

// Runs only if the kernel allows it: as root, or in a delegated scope.
class CgroupTest : public ProcessHostTest {
 protected:
  void SetUp() override {
    if (!DelegatedCgroup::find()) GTEST_SKIP() << "no cgroup v2 of our own here";
  }

  // The cgroup that process `maker` made with this name; empty: there is none.
  static std::string cgroup_of(pid_t maker, const std::string& name) {
    const std::string prefix = "muster-" + std::to_string(maker) + "-";
    for (const auto& each : std::filesystem::directory_iterator(*cgroup_v2_folder())) {
      const std::string folder = each.path().filename();
      if (folder.starts_with(prefix) && folder.ends_with("-" + name)) return each.path();
    }
    return "";
  }
};

TEST_F(CgroupTest, AProcessStartsInItsOwnAndTheSweepRemovesIt) {
  LinuxProcessHost host(loop_, log_, Orphans::adopted, DelegatedCgroup::find());
  SpawnRequest request = shell("cat /proc/self/cgroup; setsid tail -f /dev/null & cat");
  request.cgroup_name = "rank-0";
  bool ended = false;
  ASSERT_TRUE(host.spawn(request, [&](const ExitStatus&) { ended = true; }).ok());
  EXPECT_TRUE(run_until(loop_, [&] { return ended; }));
  const std::string folder = cgroup_of(getpid(), "rank-0");
  ASSERT_NE(folder, "");
  EXPECT_NE(output().find(std::filesystem::path(folder).filename().string() + "\n"), std::string::npos) << output();
  std::optional<uint32_t> killed;
  host.sweep({}, [&](uint32_t count) { killed = count; });
  EXPECT_TRUE(run_until(loop_, [&] { return killed.has_value(); }));
  EXPECT_GE(killed.value_or(0), 1u);
  EXPECT_FALSE(std::filesystem::exists(folder));
}

TEST_F(CgroupTest, OneIsSharedByName_AndASweepSparesWhoLivesInIt) {
  LinuxProcessHost host(loop_, log_, Orphans::adopted, DelegatedCgroup::find());
  SpawnRequest request = shell("true");
  request.cgroup_name = "ranks";
  int ended = 0;
  const auto count = [&](const ExitStatus&) { ++ended; };
  ASSERT_TRUE(host.spawn(request, count).ok());
  SpawnRequest lasting = shell("exec sleep 60");
  lasting.cgroup_name = "ranks";
  const Result<ProcessHandle> other = host.spawn(lasting, count);
  ASSERT_TRUE(other.ok());
  EXPECT_TRUE(run_until(loop_, [&] { return ended == 1; }));
  bool swept = false;
  host.sweep({}, [&](uint32_t) { swept = true; });
  EXPECT_TRUE(run_until(loop_, [&] { return swept; }));
  EXPECT_EQ(ended, 1);
  const std::string folder = cgroup_of(getpid(), "ranks");
  EXPECT_TRUE(std::filesystem::exists(folder));
  host.signal(*other, SIGKILL, SignalReach::group);
  EXPECT_TRUE(run_until(loop_, [&] { return ended == 2; }));
  swept = false;
  host.sweep({}, [&](uint32_t) { swept = true; });
  EXPECT_TRUE(run_until(loop_, [&] { return swept; }));
  EXPECT_FALSE(std::filesystem::exists(folder));
}

TEST_F(CgroupTest, Make_WhileALeftoverHoldsTheName_MakesAnother) {
  const std::unique_ptr<Cgroup> first = DelegatedCgroup::find()->make("rank-0", 0);
  const std::unique_ptr<Cgroup> second = DelegatedCgroup::find()->make("rank-0", 0);
  EXPECT_NE(first, nullptr);
  EXPECT_NE(second, nullptr);
}

TEST_F(CgroupTest, KillsAllInItAtOnce) {
  const std::unique_ptr<Cgroup> cgroup = DelegatedCgroup::find()->make("kill", 0);
  ASSERT_NE(cgroup, nullptr);
  EXPECT_FALSE(cgroup->limits_memory());
  EXPECT_FALSE(cgroup->had_oom_kill());
  const pid_t child = fork();
  if (child == 0) {
    while (true) pause();
  }
  std::ofstream(cgroup_of(getpid(), "kill") + "/cgroup.procs") << child;
  cgroup->kill_all();
  EXPECT_TRUE(wait_for([&] { return is_gone(child); }));
}

// cgroup.kill does not end a process whose main thread has ended (Linux 6.18).
TEST_F(CgroupTest, KillAll_OfAProcessWithoutMainThread_EndsIt) {
  LinuxProcessHost host(loop_, log_, Orphans::adopted, DelegatedCgroup::find());
  SpawnRequest request = shell("");
  request.argv = {"/usr/bin/python3", "-c", kWithoutMainThread};
  request.cgroup_name = "headless";
  bool ended = false;
  const auto process = host.spawn(request, [&](const ExitStatus&) { ended = true; });
  ASSERT_TRUE(process.ok());
  const auto pid = static_cast<pid_t>(host.identity(*process).pid);
  EXPECT_TRUE(wait_for([&] { return lacks_main_thread(pid); }));
  Cgroup(cgroup_of(getpid(), "headless"), false).kill_all();
  EXPECT_TRUE(run_until(loop_, [&] { return ended; }));
}

// The maker ends at once and leaves a process in its cgroup, and one in a cgroup below it.
pid_t leave_cgroup(const std::string& name, pid_t (&left)[2]) {
  int pipe_ends[2];
  EXPECT_EQ(pipe(pipe_ends), 0);
  const pid_t maker = fork();
  if (maker == 0) {
    const std::unique_ptr<Cgroup> cgroup = DelegatedCgroup::find()->make(name, 0);
    const std::string own = "/proc/self/fd/" + std::to_string(cgroup->fd());
    std::filesystem::create_directory(own + "/below");
    for (int each = 0; each < 2; ++each) {
      left[each] = fork();
      while (left[each] == 0) pause();
      std::ofstream(own + (each == 0 ? "" : "/below") + "/cgroup.procs") << left[each];
    }
    _exit(write(pipe_ends[1], left, sizeof left) == sizeof left ? 0 : 1);
  }
  EXPECT_EQ(read(pipe_ends[0], left, sizeof left), static_cast<ssize_t>(sizeof left));
  for (const int end : pipe_ends) close(end);
  waitpid(maker, nullptr, 0);
  return maker;
}

TEST_F(CgroupTest, EndLeftBehind_OfADeadMaker_KillsItsProcessesAndRemovesIt) {
  pid_t left[2] = {0, 0};
  const pid_t dead = leave_cgroup("ranks", left);
  ASSERT_NE(cgroup_of(dead, "ranks"), "");
  const std::unique_ptr<Cgroup> living = DelegatedCgroup::find()->make("ranks", 0);
  EXPECT_TRUE(wait_for([&] { return DelegatedCgroup::find()->end_left_behind() == 0; }));
  EXPECT_EQ(cgroup_of(dead, "ranks"), "");
  EXPECT_TRUE(wait_for([&] { return is_gone(left[0]) && is_gone(left[1]); }));
  EXPECT_NE(cgroup_of(getpid(), "ranks"), "");
}

TEST_F(CgroupTest, EndLeftBehind_OfAnotherPidNamespace_KeepsIt) {
  const std::string theirs = *cgroup_v2_folder() + "/muster-2147483647-1-1-ranks";
  ASSERT_TRUE(std::filesystem::create_directory(theirs));
  DelegatedCgroup::find()->end_left_behind();  // those of tests beside this one may be left
  EXPECT_TRUE(std::filesystem::remove(theirs));
}

TEST_F(CgroupTest, EndMarked_WhenADeadAgentLeftACgroup_EndsItToo) {
  pid_t left[2] = {0, 0};
  const pid_t dead = leave_cgroup("ranks", left);
  bool done = false;
  host_.end_marked({"MUSTER_JOB_ID=none"}, [&] { done = true; });
  EXPECT_TRUE(run_until(loop_, [&] { return done; }));
  EXPECT_EQ(cgroup_of(dead, "ranks"), "");
}

}  // namespace
}  // namespace muster
