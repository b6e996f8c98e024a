// SPDX-License-Identifier: Apache-2.0
#include "core/system/asio/helper_process.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <optional>

#include "core/system/asio/run_until.h"

namespace muster {
namespace {

class HelperProcessTest : public testing::Test {
 protected:
  std::unique_ptr<HelperProcess> shell(const std::string& script) {
    auto started = HelperProcess::start(loop_, {"/bin/sh", {"-c", script}, {{"WHO", "mia"}}},
                                        [this](const HelperEnd& end) { end_ = end; });
    EXPECT_TRUE(started.ok()) << started.status().message();
    return std::move(*started);
  }

  AsioLoop loop_;
  std::optional<HelperEnd> end_;
};

TEST_F(HelperProcessTest, ItsStreamIsItsStdinAndStdout) {
  const auto process = shell("read word; echo $WHO wrote $word; echo oops >&2; exit 3");
  const UniqueFd stream = process->take_stream();
  ASSERT_EQ(send(stream.get(), "hello\n", 6, 0), 6);
  ASSERT_TRUE(run_until(loop_, [&] { return end_.has_value(); }));
  char buffer[64] = {};
  EXPECT_EQ(recv(stream.get(), buffer, sizeof buffer, 0), 16);
  EXPECT_STREQ(buffer, "mia wrote hello\n");
  EXPECT_EQ(end_->code, 3);
  EXPECT_EQ(end_->errors, "oops\n");
}

// Asio gets the stderr event and the end event of the first program in one turn, and may deliver the second event to a
// new descriptor with the same number.
TEST_F(HelperProcessTest, OneThatBeginsAsAnotherEndsIsNotTakenForIt) {
  constexpr int kRounds = 50;
  for (int round = 0; round < kRounds; ++round) {
    std::unique_ptr<HelperProcess> second;
    bool second_ended = false;
    auto first = HelperProcess::start(loop_, {"/bin/sh", {"-c", "exit 0"}, {}}, [&](const HelperEnd&) {
      auto started = HelperProcess::start(loop_, {"/bin/sh", {"-c", "read word"}, {}},
                                          [&](const HelperEnd&) { second_ended = true; });
      ASSERT_TRUE(started.ok());
      second = std::move(*started);
    });
    ASSERT_TRUE(first.ok());
    ASSERT_TRUE(run_until(loop_, [&] { return second != nullptr; }));
    EXPECT_FALSE(second_ended);
    second->take_stream();
    ASSERT_TRUE(run_until(loop_, [&] { return second_ended; }));
  }
}

TEST_F(HelperProcessTest, Errors_OfARunningProgram_AreGivenAsTheyArrive) {
  std::string errors;
  const auto started = HelperProcess::start(
      loop_,
      {"/bin/sh", {"-c", "echo oops >&2; read word"}, {}, false, [&](std::string_view bytes) { errors += bytes; }},
      [this](const HelperEnd& end) { end_ = end; });
  ASSERT_TRUE(started.ok());
  EXPECT_TRUE(run_until(loop_, [&] { return errors == "oops\n"; }));
  EXPECT_FALSE(end_);
}

TEST_F(HelperProcessTest, OnlyTheEndOfWhatItSaysIsKept) {
  const auto process = shell("i=0; while [ $i -lt 3000 ]; do echo line $i >&2; i=$((i+1)); done");
  ASSERT_TRUE(run_until(loop_, [&] { return end_.has_value(); }));
  EXPECT_LE(end_->errors.size(), 16u * 1024);
  EXPECT_TRUE(end_->errors.ends_with("line 2999\n"));
}

TEST_F(HelperProcessTest, AKilledOneSaysSo) {
  const auto process = shell("kill -9 $$");
  ASSERT_TRUE(run_until(loop_, [&] { return end_.has_value(); }));
  EXPECT_EQ(end_->code, 137);
}

TEST_F(HelperProcessTest, ItInheritsNothing) {
  const UniqueFd secret(open("/dev/null", O_RDONLY));  // not close-on-exec
  const auto process = shell("ls /proc/self/fd | tr '\\n' ' ' >&2; trap '' USR1; grep SigBlk /proc/self/status >&2");
  ASSERT_TRUE(run_until(loop_, [&] { return end_.has_value(); }));
  EXPECT_EQ(end_->errors, "0 1 2 3 SigBlk:\t0000000000000000\n") << "ls itself opens 3";
}

TEST_F(HelperProcessTest, WhatIsLeftAloneIsKilled) {
  auto process = shell("echo $$; exec sleep 100");
  const UniqueFd stream = process->take_stream();
  std::string text;
  ASSERT_TRUE(run_until(loop_, [&] {
    char buffer[32];
    const ssize_t got = recv(stream.get(), buffer, sizeof buffer, 0);
    if (got > 0) text.append(buffer, static_cast<size_t>(got));
    if (text.empty()) loop_.post([] {});
    return text.ends_with('\n');
  }));
  process.reset();
  EXPECT_EQ(kill(std::stoi(text), 0), -1);
}

TEST_F(HelperProcessTest, WhatIsNotThereIsNotStarted) {
  const auto started = HelperProcess::start(loop_, {"/nonexistent/ssh", {}, {}}, [](const HelperEnd&) {});
  EXPECT_EQ(started.status().code(), Code::not_found) << started.status().message();
}

}  // namespace
}  // namespace muster
