// SPDX-License-Identifier: Apache-2.0
#include "core/client/console_writer.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>
#include <vector>

#include "core/client/screen.h"
#include "core/system/asio/asio_loop.h"
#include "core/system/asio/run_until.h"

namespace muster {
namespace {

// A pipe or a socket pair with a small buffer. No test waits for free space in it.
class ConsoleWriterTest : public testing::TestWithParam<bool> {
 protected:
  ConsoleWriterTest() {
    signal(SIGPIPE, SIG_IGN);  // as main() does
    std::array<int, 2> ends{-1, -1};
    const bool made = GetParam() ? pipe2(ends.data(), O_CLOEXEC) == 0
                                 : socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0;
    EXPECT_TRUE(made);
    reads_ = UniqueFd(ends[0]);
    writes_ = UniqueFd(ends[1]);
  }

  std::string read_some() const {
    std::string bytes(1 << 20, '\0');
    bytes.resize(static_cast<size_t>(std::max<ssize_t>(read(reads_.get(), bytes.data(), bytes.size()), 0)));
    return bytes;
  }

  UniqueFd reads_;
  UniqueFd writes_;
};

std::string numbers() {
  std::string text;
  for (int i = 0; i < 200000; ++i) text += std::to_string(i) + "\n";
  return text;
}

TEST_P(ConsoleWriterTest, WhatHasRoomIsThereAtOnce) {
  ConsoleWriter console_writer(writes_.get());
  EXPECT_EQ(console_writer.write("words"), 0);
  EXPECT_FALSE(console_writer.waits());
  EXPECT_EQ(read_some(), "words");
}

TEST_P(ConsoleWriterTest, WhatHasNoneWaitsAndComesInOrder) {
  ConsoleWriter console_writer(writes_.get());
  const std::string text = numbers();
  EXPECT_EQ(console_writer.write(text), 0);
  EXPECT_TRUE(console_writer.waits());
  EXPECT_EQ(console_writer.write("end"), 0);
  std::string got;
  while (got.size() < text.size() + 3) {
    got += read_some();
    EXPECT_EQ(console_writer.go_on(), 0);
  }
  EXPECT_FALSE(console_writer.waits());
  EXPECT_TRUE(got == text + "end");
}

TEST_P(ConsoleWriterTest, TheDescriptorItselfStaysAsItWas) {
  const int before = fcntl(writes_.get(), F_GETFL);
  const ConsoleWriter console_writer(writes_.get());
  EXPECT_EQ(fcntl(writes_.get(), F_GETFL), before);
}

TEST_P(ConsoleWriterTest, AReaderThatLeftIsAnErrorAndNothingWaits) {
  ConsoleWriter console_writer(writes_.get());
  EXPECT_EQ(console_writer.write(numbers()), 0);
  reads_.reset();
  EXPECT_EQ(console_writer.go_on(), EPIPE);
  EXPECT_FALSE(console_writer.waits());
}

INSTANTIATE_TEST_SUITE_P(Both, ConsoleWriterTest, testing::Bool(),
                         [](const testing::TestParamInfo<bool>& info) { return info.param ? "Pipe" : "Socket"; });

// Redirects stdout and stderr of this process to one pipe during the test.
class ServedScreenTest : public testing::Test {
 protected:
  ServedScreenTest() {
    signal(SIGPIPE, SIG_IGN);
    std::array<int, 2> ends{-1, -1};
    EXPECT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
    reads_ = UniqueFd(ends[0]);
    for (size_t i = 0; i < kept_.size(); ++i) {
      kept_[i] = UniqueFd(fcntl(static_cast<int>(i) + 1, F_DUPFD_CLOEXEC, 3));
      dup2(ends[1], static_cast<int>(i) + 1);
    }
    close(ends[1]);
  }
  ~ServedScreenTest() override {
    for (size_t i = 0; i < kept_.size(); ++i) dup2(kept_[i].get(), static_cast<int>(i) + 1);
  }

  AsioLoop loop_;
  UniqueFd reads_;
  std::array<UniqueFd, 2> kept_;
};

TEST_F(ServedScreenTest, NobodyReads_TheLoopGoesOnAndTellsWhenThereIsRoom) {
  FdScreen screen;
  std::vector<bool> told;
  screen.serve(loop_, [&](bool full) { told.push_back(full); });
  const std::string text = numbers();
  screen.out(text);
  screen.err("muster: a remark\n");
  const bool waited = screen.waits();
  bool turned = false;
  loop_.at(loop_.now() + std::chrono::milliseconds(1), [&] { turned = true; });
  const bool went_on = run_until(loop_, [&] { return turned; });
  const std::vector<bool> told_before = told;
  std::string got;
  auto watch = loop_.watch_readable(reads_.get(), [&] {
    std::array<char, 65536> bytes{};
    got.append(bytes.data(), static_cast<size_t>(std::max<ssize_t>(read(reads_.get(), bytes.data(), bytes.size()), 0)));
  });
  const std::string all = text + "muster: a remark\n";
  const bool came = run_until(loop_, [&] { return got.size() >= all.size(); });
  screen.serve_no_more();
  EXPECT_TRUE(waited);
  EXPECT_TRUE(went_on);
  EXPECT_EQ(told_before, std::vector<bool>{true});
  EXPECT_TRUE(came);
  EXPECT_TRUE(got == all) << "stdout and stderr share one pipe, so the order is kept";
  EXPECT_EQ(told, (std::vector<bool>{true, false}));
}

TEST_F(ServedScreenTest, ItsReaderLeavesWhileWordsWait_IsToldOnce) {
  FdScreen screen;
  int broken = 0;
  screen.on_broken([&] { ++broken; });
  screen.serve(loop_, [](bool) {});
  screen.out(numbers());
  reads_.reset();
  const bool told = run_until(loop_, [&] { return broken > 0; });
  screen.out("more");
  screen.serve_no_more();
  screen.on_broken(nullptr);
  EXPECT_TRUE(told);
  EXPECT_EQ(broken, 1);
}

}  // namespace
}  // namespace muster
