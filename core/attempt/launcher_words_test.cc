// SPDX-License-Identifier: Apache-2.0
#include "core/attempt/launcher_words.h"

#include <gtest/gtest.h>

#include <vector>

namespace muster {
namespace {

TEST(ShellReport, OfAProgramThatASignalEnded_NamesTheProgramAndTheLine) {
  const auto report =
      shell_report("/home/a/train.sh: line 3:  4117 Aborted                 (core dumped) python3 train.py");
  ASSERT_TRUE(report);
  EXPECT_EQ(report->text, "python3 train.py was killed by SIGABRT");
  EXPECT_EQ(report->place, "train.sh:3");
  EXPECT_EQ(shell_report("train.sh: line 12: 7 Killed")->text, "a program was killed by SIGKILL");
  EXPECT_EQ(shell_report("bash: 32076 Killed                  python3 eat.py")->text,
            "python3 eat.py was killed by SIGKILL");
  EXPECT_EQ(shell_report("bash: 32076 Killed                  python3 eat.py")->place, "");
}

TEST(ShellReport, OfOtherLines_IsNothing) {
  for (const char* line : {"train.sh: line 3: python4: command not found", "epoch: line 3: 5 Done", ": line : 1 Killed",
                           "train.sh: line 3: Killed", "x: line 3:", "Killed by hand", ": 7 Killed", "bash: 7", ""})
    EXPECT_FALSE(shell_report(line)) << line;
}

TEST(LauncherLines, OfTorchrunDeepSpeedLightningAndShells_AreTold) {
  for (const char* line :
       {"W1125 22:54:05.182000 15790 torch/distributed/elastic/multiprocessing/api.py:1028] Sending process 1 closing",
        "[2026-11-23 10:00:00,123] [INFO] [launch.py:335:sigkill_handler] Killing subprocess 4117",
        "[12]:", "============================================================", "Aborted (core dumped)", "Killed",
        "make: *** [Makefile:2: train] Error 1"})
    EXPECT_TRUE(is_launcher_line(line)) << line;
  for (const char* line : {"", "Killed it", "[a]:", "W1125 10:00:00.1 socket.cpp:207] x", "loss 0.3", "====="})
    EXPECT_FALSE(is_launcher_line(line)) << line;
}

TEST(Relays, OfAProgramsOwnException_IsNothing) {
  EXPECT_EQ(relays("RuntimeError: shapes do not match"), Relays::nothing);
  EXPECT_EQ(relays("subprocess.CalledProcessError: Command '['x']' returned non-zero exit status 1."),
            Relays::a_failure);
  EXPECT_EQ(relays("subprocess.CalledProcessError: Command '['x']' died with <Signals.SIGKILL: 9>."), Relays::a_crash);
}

TEST(LoaderReport, OfAWorker_HasNoPid) {
  EXPECT_EQ(loader_report("RuntimeError: DataLoader worker (pid 15672) is killed by signal: Killed. "),
            "RuntimeError: DataLoader worker was killed by SIGKILL");
  EXPECT_EQ(loader_report("RuntimeError: DataLoader worker (pid(s) 15672, 9) exited unexpectedly"),
            "RuntimeError: DataLoader worker exited unexpectedly");
  EXPECT_EQ(loader_report("RuntimeError: DataLoader worker (pid 1) is killed by signal: Odd. "),
            "RuntimeError: DataLoader worker is killed by signal: Odd. ");
  EXPECT_EQ(loader_report("RuntimeError: DataLoader worker (pid"), "RuntimeError: DataLoader worker (pid");
  EXPECT_EQ(loader_report("ValueError: x"), "ValueError: x");
}

TEST(TorchrunReport, NamesTheRootCause) {
  std::vector<OutputLine> lines;
  for (const char* text : {"train.py FAILED", "Failures:", "[1]:", "  rank      : 0 (local_rank: 0)",
                           "  exitcode  : -15 (pid: 1)  (SIGTERM)", "Root Cause (first observed failure):", "[0]:",
                           "  rank      : 3 (local_rank: 1)", "  exitcode  : 7 (pid: 2) "})
    lines.push_back({text});
  EXPECT_EQ(torchrun_report(lines), "torchrun: rank 3 of train.py exited with code 7");
  lines.back().text = "  exitcode  : -9 (pid: 2)  (SIGKILL)";
  EXPECT_EQ(torchrun_report(lines), "torchrun: rank 3 of train.py was killed by SIGKILL");
  lines.pop_back();
  EXPECT_EQ(torchrun_report(OutputLines(lines).first(4)), "");
}

}  // namespace
}  // namespace muster
