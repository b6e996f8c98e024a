// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/linux_timer_pipe.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <climits>
#include <filesystem>
#include <fstream>
#include <vector>

#include "core/system/asio/asio_loop.h"
#include "core/system/asio/run_until.h"

namespace muster {
namespace {

class TimerPipeTest : public testing::Test {
 protected:
  ~TimerPipeTest() override {
    pipe_.close();
    std::filesystem::remove_all(folder_);
  }

  std::string open(const std::string& wished = "") {
    const auto place = pipe_.open(wished, [this](std::string_view line, int64_t wall) {
      lines_.emplace_back(line);
      wall_ = wall;
    });
    EXPECT_TRUE(place.ok()) << place.status().message();
    return place.ok() ? *place : "";
  }
  // Writes as torch's client does.
  static void write(const std::string& path, const std::string& bytes) {
    const UniqueFd fd(::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC));
    ASSERT_TRUE(fd.valid());
    ASSERT_EQ(::write(fd.get(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  }
  bool hear(size_t count) {
    return run_until(loop_, [&] { return lines_.size() >= count; });
  }
  std::string in_folder(const std::string& name) const { return folder_ + "/" + name; }

  static std::string new_folder() {
    std::string folder = testing::TempDir() + "timersXXXXXX";
    EXPECT_NE(mkdtemp(folder.data()), nullptr);
    return folder;
  }

  const std::string folder_ = new_folder();
  AsioLoop loop_;
  std::vector<std::string> lines_;
  int64_t wall_ = 0;
  LinuxTimerPipe pipe_{loop_, folder_ + "/own"};
};

TEST_F(TimerPipeTest, CarriesLinesWithTheWallClock) {
  const std::string path = open();
  EXPECT_EQ(path, in_folder("own"));
  struct stat file {};
  ASSERT_EQ(stat(path.c_str(), &file), 0);
  EXPECT_EQ(file.st_mode, S_IFIFO | 0600u);
  write(path, "one\ntw");
  write(path, "o\n\n");
  ASSERT_TRUE(hear(3));
  EXPECT_EQ(lines_, (std::vector<std::string>{"one", "two", ""}));
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  EXPECT_NEAR(static_cast<double>(wall_), static_cast<double>(std::chrono::nanoseconds(now).count()), 60e9);
}

TEST_F(TimerPipeTest, DropsALineThatIsTooLong) {
  const std::string path = open();
  write(path, std::string(PIPE_BUF + 1, 'x') + "\nshort\n" + std::string(PIPE_BUF, 'y') + "\n");
  ASSERT_TRUE(hear(2));
  EXPECT_EQ(lines_, (std::vector<std::string>{"short", std::string(PIPE_BUF, 'y')}));
}

TEST_F(TimerPipeTest, TakesAWishedPlaceAndRemovesWhatItMade) {
  EXPECT_EQ(open(in_folder("typed")), in_folder("typed"));
  write(in_folder("typed"), "one\n");
  ASSERT_TRUE(hear(1));
  EXPECT_EQ(open(in_folder("typed")), in_folder("typed"));
  pipe_.close();
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

TEST_F(TimerPipeTest, TakesThePipeOfOneThatWasKilled) {
  ASSERT_EQ(mkfifo(in_folder("typed").c_str(), 0600), 0);
  EXPECT_EQ(open(in_folder("typed")), in_folder("typed"));
}

TEST_F(TimerPipeTest, LeavesWhatSomebodyElseHas) {
  std::ofstream(in_folder("file")) << "mine";
  EXPECT_EQ(open(in_folder("file")), in_folder("own"));
  EXPECT_EQ(std::filesystem::file_size(in_folder("file")), 4u);
  EXPECT_EQ(open(in_folder("no/folder")), in_folder("own"));
  LinuxTimerPipe other(loop_, in_folder("other"));
  ASSERT_TRUE(other.open("", [](std::string_view, int64_t) {}).ok());
  EXPECT_EQ(open(in_folder("other")), in_folder("own"));
}

TEST_F(TimerPipeTest, OpenedAnewItHasNothingOfBefore) {
  write(open(), "of before\nbegun");
  write(open(), "new\n");
  ASSERT_TRUE(hear(1));
  EXPECT_EQ(lines_, std::vector<std::string>{"new"});
}

TEST_F(TimerPipeTest, KnowsTheSessionOfAProcess) {
  EXPECT_EQ(pipe_.session_of(getpid()), getsid(0));
  const pid_t child = fork();
  if (child == 0) _exit(0);
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_EQ(pipe_.session_of(child), 0);
}

}  // namespace
}  // namespace muster
