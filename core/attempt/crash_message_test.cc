// SPDX-License-Identifier: Apache-2.0
#include "core/attempt/crash_message.h"

#include <gtest/gtest.h>

#include "core/base/text.h"

namespace muster {
namespace {

std::optional<CrashMessage> crash_in(std::string_view text, size_t most_behind = 0) {
  std::vector<OutputLine> lines;
  for (const std::string& line : split(text, '\n')) lines.push_back(output_line(line));
  return crash_message(lines, most_behind);
}

constexpr const char* kFunctions =
    "\nThread 0x00007fad725026c0 (most recent call first):\n  File \"/usr/lib/python3.11/threading.py\", line 975 in "
    "run\n"
    "\nCurrent thread 0x00007fad727f6040 (most recent call first):\n"
    "  File \"/venv/lib/python3.11/site-packages/torch/x.py\", line 519 in f\n  File \"/a/train.py\", line 3 in crash\n"
    "  File \"/a/train.py\", line 4 in <module>\n";

TEST(CrashMessage, OfFaulthandler_HasTheUsersLineAndTheCrashedThread) {
  const auto crash = crash_in("step 1\nFatal Python error: Segmentation fault\n" + std::string(kFunctions));
  ASSERT_TRUE(crash);
  EXPECT_EQ(crash->text, "Fatal Python error: Segmentation fault");
  EXPECT_EQ(crash->place, "train.py:3");
  EXPECT_TRUE(crash->trace.starts_with("Current thread 0x00007fad727f6040")) << crash->trace;
  EXPECT_TRUE(crash->trace.ends_with("line 4 in <module>\n")) << crash->trace;
}

TEST(CrashMessage, BeforeFaulthandler_IsTheCause) {
  const auto crash = crash_in("free(): invalid pointer\nFatal Python error: Aborted\n" + std::string(kFunctions));
  ASSERT_TRUE(crash);
  EXPECT_EQ(crash->text, "free(): invalid pointer");
  EXPECT_EQ(crash->place, "train.py:3");
}

TEST(CrashMessage, LongBeforeFaulthandler_IsOfAnotherProcess) {
  std::string text = "free(): invalid pointer\n";
  for (int i = 0; i < 50; ++i) text += "step " + std::to_string(i) + "\n";
  EXPECT_EQ(crash_in(text + "Fatal Python error: Aborted\n")->text, "Fatal Python error: Aborted");
}

TEST(CrashMessage, WithOutputBehind_WasSurvived) {
  EXPECT_FALSE(crash_in("free(): invalid pointer\nstep 2\n"));
  EXPECT_TRUE(crash_in("free(): invalid pointer\nstep 2\n", 1));
  EXPECT_TRUE(crash_in("free(): invalid pointer\nrun.sh: line 3: 12 Aborted  ./train\n")) << "a shell's own line";
}

TEST(CrashMessage, OfAGpusAssertion_HasNoThread) {
  const auto crash = crash_in("../a/Indexing.cu:13: f: block: [4,0,0], thread: [32,0,0] Assertion `i < n` failed.\n");
  ASSERT_TRUE(crash);
  EXPECT_EQ(crash->text, "Indexing.cu:13: f: Assertion `i < n` failed.");
}

TEST(CrashMessage, OfWordsThatLookAlike_IsNothing) {
  for (const char* text : {"AssertionError: x", "F1 score 0.9] ok", "Timeout (5 s) reached", "thread 'x' started",
                           "*** epoch 3 ***", "Assertion `x' holds", "terminate called"})
    EXPECT_FALSE(crash_in(text)) << text;
}

}  // namespace
}  // namespace muster
