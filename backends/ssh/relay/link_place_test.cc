// SPDX-License-Identifier: Apache-2.0
#include "backends/ssh/relay/link_place.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <filesystem>
#include <fstream>

namespace muster {
namespace {

namespace fs = std::filesystem;

const std::string kTag = "abcdefghijklmnopqrstuvwxyz-3-k7";

class LinkPlaceTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "link-place-XXXXXX";
    folder_ = mkdtemp(name.data());
  }
  void TearDown() override { fs::remove_all(folder_); }

  LinkPlace place() const { return LinkPlace(folder_, kTag); }
  AgentLock lock() const { return std::move(**AgentLock::open(place(), true)); }
  size_t files() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  std::string folder_;
};

// A process that does `work` and runs until it is killed.
pid_t lasting(const std::function<bool()>& work) {
  int ready[2];
  EXPECT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    const char done = work() ? 'y' : 'n';
    (void)!write(ready[1], &done, 1);
    while (true) pause();
  }
  char answer = 0;
  EXPECT_EQ(read(ready[0], &answer, 1), 1);
  EXPECT_EQ(answer, 'y');
  close(ready[0]);
  close(ready[1]);
  return child;
}

int end_of(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

// A guardian that runs until it is killed.
pid_t guarding(const AgentLock& lock, const LinkPlace& place, const std::function<bool()>& work) {
  return lasting([&] {
    dup2(lock.take().get(), STDIN_FILENO);
    enter_link_place(place.socket());
    return work();
  });
}

// Simulates a full disk.
void no_file_may_grow_beyond(rlim_t size) {
  signal(SIGXFSZ, SIG_IGN);
  const rlimit limit = {size, size};
  setrlimit(RLIMIT_FSIZE, &limit);
}

// A process with the command line of an agent, which stops at once.
pid_t stopped_agent(UniqueFd lock, const std::string& socket) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, lock.get(), STDIN_FILENO);
  std::string words[] = {"sh", "-c", "kill -STOP $$", "agent", "--socket", socket};
  char* called[7] = {};
  for (size_t i = 0; i < std::size(words); ++i) called[i] = words[i].data();
  pid_t pid = 0;
  EXPECT_EQ(posix_spawn(&pid, "/bin/sh", &files, nullptr, called, environ), 0);
  posix_spawn_file_actions_destroy(&files);
  int status = 0;
  waitpid(pid, &status, WUNTRACED);  // /proc shows its command line only after posix_spawn has returned
  EXPECT_TRUE(WIFSTOPPED(status));
  return pid;
}

TEST(LinkTag, IsJobNodeAndSomethingRandom) {
  const auto tag = parse_link_tag(kTag);
  ASSERT_TRUE(tag);
  EXPECT_EQ(tag->job.text(), "abcdefghijklmnopqrstuvwxyz");
  EXPECT_EQ(tag->node, 3u);
  for (const char* text :
       {"", "x", "abcdefghijklmnopqrstuvwxyz-3", "abcdefghijklmnopqrstuvwxyz--k7", "abcdefghijklmnopqrstuvwxyz-3-../x",
        "abcdefghijklmnopqrstuvwxyz-99999999999-k7", "abcdefghijklmnopqrstuvwxyz-3-k7-"})
    EXPECT_FALSE(parse_link_tag(text)) << text;
}

TEST_F(LinkPlaceTest, AnAgentLivesAsLongAsAnyProcessHasItsStdin) {
  const AgentLock lock = this->lock();
  EXPECT_FALSE(lock.held());
  UniqueFd theirs = lock.take();
  ASSERT_TRUE(theirs.valid());
  const pid_t agent = lasting([] { return true; });
  theirs.reset();
  EXPECT_TRUE(lock.held());
  EXPECT_FALSE(lock.take().valid()) << "a tag never has two agents";
  kill(agent, SIGKILL);
  end_of(agent);
  EXPECT_FALSE(lock.held());
}

TEST_F(LinkPlaceTest, AnotherAgentOfTheNodeIsSeenWhileItLives) {
  const LinkTag before = *parse_link_tag(kTag);
  const LinkTag now = *parse_link_tag("abcdefghijklmnopqrstuvwxyz-3-zz");
  EXPECT_FALSE(another_lives(folder_, before));
  const AgentLock lock = std::move(**AgentLock::open(LinkPlace(folder_, now.text), true));
  {
    const UniqueFd stdin_of_it = lock.take();
    EXPECT_TRUE(another_lives(folder_, before));
    EXPECT_FALSE(another_lives(folder_, now)) << "an agent is not another of itself";
    EXPECT_FALSE(another_lives(folder_, *parse_link_tag("abcdefghijklmnopqrstuvwxyz-33-zz")))
        << "an agent of another node";
  }
  EXPECT_FALSE(another_lives(folder_, before));
}

TEST_F(LinkPlaceTest, AGuardianIsKnownWhileItIsTheSameProcess) {
  const AgentLock lock = this->lock();
  ASSERT_TRUE(lock.reserve().ok());
  EXPECT_EQ(lock.guardian(), 0);
  const pid_t guardian = guarding(lock, place(), [] { return true; });
  EXPECT_EQ(lock.guardian(), guardian);
  kill(guardian, SIGKILL);
  end_of(guardian);
  EXPECT_EQ(lock.guardian(), 0);
  std::ofstream(place().lock()) << getpid() << " 1";
  EXPECT_EQ(lock.guardian(), 0) << "another process has its pid";
}

TEST_F(LinkPlaceTest, AnEndIsInOrderOnlyWhereTheGuardianSaidSo) {
  const AgentLock lock = this->lock();
  ASSERT_TRUE(lock.reserve().ok());
  EXPECT_FALSE(lock.end());
  std::ofstream(place().lock()) << "ended 137";
  EXPECT_FALSE(lock.end()) << "the guardian removes the file last";
  place().remove();
  EXPECT_EQ(lock.end(), 137);
}

TEST_F(LinkPlaceTest, AnEndNeedsNoRoomOnTheDisk) {
  const AgentLock lock = this->lock();
  ASSERT_TRUE(lock.reserve().ok());
  const uintmax_t size = fs::file_size(place().lock());
  const pid_t guardian = guarding(lock, place(), [&] {
    const bool whole = fs::file_size(place().lock()) == size;
    no_file_may_grow_beyond(size);
    leave_link_place(place().socket(), 0);
    return whole;
  });
  EXPECT_EQ(lock.end(), 0);
  kill(guardian, SIGKILL);
  end_of(guardian);
}

TEST_F(LinkPlaceTest, WithoutRoomForItsLockNoAgentBegins) {
  const AgentLock lock = this->lock();
  const pid_t relay = lasting([&] {
    no_file_may_grow_beyond(0);
    return !lock.reserve().ok();
  });
  kill(relay, SIGKILL);
  end_of(relay);
}

TEST_F(LinkPlaceTest, AnAgentWhoseLockACleanerRemovedLives) {
  std::optional<AgentLock> before = lock();
  const pid_t agent = stopped_agent(before->take(), place().socket());
  before.reset();
  fs::remove(place().lock());
  for (const bool make : {false, true}) {
    const std::optional<AgentLock> lock = std::move(*AgentLock::open(place(), make));
    EXPECT_TRUE(lock);
    if (!lock) continue;
    EXPECT_TRUE(lock->held());
    EXPECT_FALSE(lock->take().valid()) << "a tag never has two agents";
  }
  kill(agent, SIGKILL);
  end_of(agent);
  EXPECT_FALSE(*AgentLock::open(place(), false));
}

TEST_F(LinkPlaceTest, CleanersSeeThatAnAgentLives) {
  const AgentLock lock = this->lock();
  const fs::file_time_type old = fs::file_time_type::clock::now() - std::chrono::days(20);
  for (const std::string& path : {place().lock(), folder_}) fs::last_write_time(path, old);
  refresh_link_place(place().socket());
  for (const std::string& path : {place().lock(), folder_})
    EXPECT_GT(fs::last_write_time(path), old + std::chrono::days(1));
}

TEST_F(LinkPlaceTest, ARelayTakesOverFromOneThatHangs) {
  const pid_t before = lasting([this] {
    signal(SIGTERM, SIG_IGN);
    static const auto charge = RelayCharge::take(place());
    return charge.ok();
  });
  EXPECT_TRUE(RelayCharge::take(place()).ok());
  EXPECT_EQ(end_of(before), SIGKILL);
}

TEST_F(LinkPlaceTest, RemoveDeadLinks_OfTheLastMinute_TakesThoseWhoseGuardianHadStarted) {
  const AgentLock lock = this->lock();
  remove_dead_links(folder_, true);
  EXPECT_EQ(files(), 1u) << "its agent may be about to start";
  std::ofstream(place().lock()) << "4711 99";
  {
    const UniqueFd agent = lock.take();
    remove_dead_links(folder_, true);
    EXPECT_EQ(files(), 1u);
  }
  remove_dead_links(folder_, true);
  EXPECT_EQ(files(), 0u);
}

TEST_F(LinkPlaceTest, RemoveDeadLinks_OfAGuardianKilledWhileItLeft_TakesThem) {
  const AgentLock lock = this->lock();
  std::ofstream(place().relay()) << "";
  std::ofstream(place().lock()) << "ended 0";
  remove_dead_links(folder_, true);
  EXPECT_EQ(files(), 0u);
}

TEST_F(LinkPlaceTest, OnlyOldLinksWithoutAnAgentAreRemoved) {
  const AgentLock lock = this->lock();
  std::ofstream(place().socket()) << "";
  remove_dead_links(folder_);
  EXPECT_EQ(files(), 2u) << "its agent may be about to start";
  timespec old[2] = {{0, 0}, {0, 0}};
  utimensat(AT_FDCWD, place().lock().c_str(), old, 0);
  {
    const UniqueFd agent = lock.take();
    remove_dead_links(folder_);
    EXPECT_EQ(files(), 2u);
  }
  remove_dead_links(folder_);
  EXPECT_EQ(files(), 0u);
}

}  // namespace
}  // namespace muster
