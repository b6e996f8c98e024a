// SPDX-License-Identifier: Apache-2.0
#include "core/attempt/failure_message.h"

#include <gtest/gtest.h>

#include <csignal>

namespace muster {
namespace {

// stderr and an error file with the given texts.
class OneOutput final : public OutputFiles {
 public:
  explicit OneOutput(std::string text, std::string error = "") : text_(std::move(text)), error_(std::move(error)) {}
  Result<std::string> path(const JobId&, Attempt, const std::string& name, OutputStream) override { return name; }
  Result<std::string> read(const std::string& path, uint64_t offset, size_t limit) override {
    return (path == "error" ? error_ : text_).substr(offset, limit);
  }
  uint64_t size(const std::string&) const override { return text_.size(); }
  uint64_t first_kept(const std::string&) const override { return 0; }
  std::unique_ptr<OutputWatch> watch(const JobId&, Attempt, OutputChanged) override { return nullptr; }
  std::unique_ptr<OutputWatch> watch_writes(const std::vector<std::string>&, OutputChanged) override { return nullptr; }

 private:
  const std::string text_;
  const std::string error_;
};

std::string said_after(const ExitStatus& exit, const std::string& text) {
  OneOutput output(text);
  return failure_message(output, {"", "stderr"}, exit).said;
}

ExitStatus killed_by(int signal) {
  ExitStatus exit;
  exit.kind = ExitStatus::Kind::signalled;
  exit.signal = signal;
  return exit;
}

std::string said(std::string_view tail) { return failure_message_of(tail).said; }

TEST(FailureMessage, NamesTheExceptionAndTheUsersOwnLine) {
  const std::string tail =
      "epoch 1\nTraceback (most recent call last):\n"
      "  File \"/home/a/train.py\", line 52, in <module>\n    main()\n"
      "  File \"/home/a/train.py\", line 41, in step\n    loss(x)\n"
      "  File \"/venv/lib/python3.11/site-packages/torch/nn.py\", line 9, in loss\n    raise\n"
      "RuntimeError: shapes (32,10) and (31,10) do not match\n";
  EXPECT_EQ(said(tail), "RuntimeError: shapes (32,10) and (31,10) do not match at train.py:41");
}

TEST(FailureMessage, TakesTheLastOfChainedTracebacks) {
  const std::string tail =
      "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\nKeyError: 'x'\n\n"
      "During handling of the above exception, another exception occurred:\n\n"
      "Traceback (most recent call last):\n  File \"a.py\", line 3, in g\nValueError: no\n";
  EXPECT_EQ(said(tail), "ValueError: no at a.py:3");
}

TEST(FailureMessage, TheTraceIsOfTheLastTracebackAndInnerFramesStay) {
  const std::string tail =
      "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\nKeyError: 'x'\n\n"
      "Traceback (most recent call last):\n  File \"a.py\", line 3, in g\n    g(1)\nValueError: no\nbye\n";
  EXPECT_EQ(failure_message_of(tail).trace,
            "Traceback (most recent call last):\n  File \"a.py\", line 3, in g\n    g(1)\nValueError: no\n");
  std::string deep = "Traceback (most recent call last):\n";
  for (int i = 0; i < 100; ++i) deep += "  File \"a.py\", line " + std::to_string(i) + ", in f\n    f()\n";
  const std::string trace = failure_message_of(deep + "RecursionError: deep\n").trace;
  EXPECT_LE(trace.size(), 2200u);
  EXPECT_TRUE(trace.starts_with("Traceback (most recent call last):\n  …\n")) << trace;
  EXPECT_TRUE(trace.ends_with("line 99, in f\n    f()\nRecursionError: deep\n")) << trace;
  EXPECT_EQ(failure_message_of("no traceback\n").trace, "");
}

TEST(FailureMessage, TheLinesOfALongMessageAreInTheTrace) {
  OneOutput output(
      "Traceback (most recent call last):\n  File \"sd.py\", line 2, in <module>\n"
      "RuntimeError: Error(s) in loading state_dict for Linear:\n\tMissing key(s) in state_dict: \"bias\". \n"
      "\tsize mismatch for weight\n\n");
  const FailureMessage message = failure_message(output, {"", "stderr"}, ExitStatus());
  EXPECT_EQ(message.said, "RuntimeError: Error(s) in loading state_dict for Linear at sd.py:2");
  EXPECT_NE(message.trace.find("Missing key(s)"), std::string::npos) << message.trace;
  EXPECT_NE(message.trace.find("size mismatch for weight\n"), std::string::npos) << message.trace;
}

TEST(FailureMessage, FallsBackToTheLastLine) { EXPECT_EQ(said("one\n  two \n\n"), "two"); }

TEST(FailureMessage, ALineOfDashes_IsNoLastWord) {
  EXPECT_EQ(said("--------\nno config file\n--------\n"), "no config file");
  EXPECT_EQ(said("- one\n"), "- one");
}

TEST(FailureMessage, AWarningOfTorchIsNoLastWord) {
  EXPECT_EQ(said("out of luck\n[W1122 10:00:00.1 socket.cpp:207] Warning: no hostname\n"), "out of luck");
  EXPECT_EQ(said("[W socket.cpp:601] [c10d] no hostname\n"), "");
}

TEST(FailureMessage, IsEmptyForSilence) { EXPECT_EQ(said("\n\n"), ""); }

TEST(FailureMessage, EscapesAndCuts) {
  EXPECT_EQ(said("a\x1b[2Jb"), "a\\x1b[2Jb");
  EXPECT_EQ(said("\x1b[1;35mValueError\x1b[0m: \x1b[35mx\x1b[m"), "ValueError: x") << "of a program at a terminal";
  EXPECT_LE(said(std::string(5000, 'x')).size(), 300u);
}

TEST(FailureMessage, UnfinishedTracebackGivesTheLastLine) {
  EXPECT_EQ(said("Traceback (most recent call last):\n  File \"a.py\", line 1, in f\n"), "File \"a.py\", line 1, in f");
}

TEST(FailureMessage, OfAProgressBarTheLastStateCounts) {
  EXPECT_EQ(said(" 10%|# | 1/10\r 20%|## | 2/10"), "20%|## | 2/10");
  EXPECT_EQ(said("failed here\r\n"), "failed here");
  EXPECT_EQ(said(" 10%|#\rTraceback (most recent call last):\n  File \"a.py\", line 3, in f\nValueError: x\n"),
            "ValueError: x at a.py:3");
}

// With a process group, torch's exception hook begins each line with the rank.
TEST(FailureMessage, OfARankOfAProcessGroup) {
  const FailureMessage words = failure_message_of(
      "[rank1]: Traceback (most recent call last):\n[rank1]:   File \"/home/a/train.py\", line 9, in <module>\n"
      "[rank1]:     raise ValueError(\"loss is NaN\")\n[rank1]: ValueError: loss is NaN\n[rank1]: of step 3\n\n"
      "[rank1]:[W1123 10:00:00.1 ProcessGroupNCCL.cpp:1250] Warning: not destroyed\n");
  EXPECT_EQ(words.said, "ValueError: loss is NaN at train.py:9");
  EXPECT_EQ(words.trace,
            "Traceback (most recent call last):\n  File \"/home/a/train.py\", line 9, in <module>\n"
            "    raise ValueError(\"loss is NaN\")\nValueError: loss is NaN\nof step 3\n");
  EXPECT_EQ(said("[rank0]:[W1123 socket.cpp:1] Warning: x\n"), "");
  EXPECT_EQ(said("[rankle]: no\n"), "[rankle]: no");
}

TEST(FailureMessage, TheReasonOfNcclIsItsLastLine) {
  const std::string first =
      "torch.distributed.DistBackendError: NCCL error in: ../NCCLUtils.hpp:219, unhandled system error";
  const std::string reason = "socketProgressOpt: Call to recv from 10.0.0.1<1> failed : Connection reset by peer";
  EXPECT_EQ(said("[rank0]: Traceback (most recent call last):\n[rank0]:   File \"t.py\", line 5, in f\n[rank0]: " +
                 first + "\n[rank0]: " + reason + "\n"),
            first + ": " + reason + " at t.py:5");
  EXPECT_EQ(said("Traceback (most recent call last):\n  File \"t.py\", line 5, in f\n" + first +
                 "\nncclSystemError: System call failed.\nLast error:\n" + reason + "\nbye\n"),
            first + ": " + reason + " at t.py:5");
}

TEST(FailureMessage, OfAGroupOfExceptions) {
  const FailureMessage words = failure_message_of(
      "  + Exception Group Traceback (most recent call last):\n  |   File \"/a/eg.py\", line 3, in <module>\n"
      "  |     raise ExceptionGroup(\"several\", [a, b])\n  | ExceptionGroup: several (2 sub-exceptions)\n"
      "  +-+---------------- 1 ----------------\n    | Traceback (most recent call last):\n    |   File \"/a/eg.py\", "
      "line 1, in f\n"
      "    | ValueError: a\n    +---------------- 2 ----------------\n    | TypeError: b\n"
      "    +------------------------------------\n");
  EXPECT_EQ(words.said, "ExceptionGroup: several (2 sub-exceptions) at eg.py:3");
  EXPECT_TRUE(words.trace.ends_with("    | TypeError: b\n    +------------------------------------\n")) << words.trace;
}

constexpr const char* kRaised =
    "Traceback (most recent call last):\n  File \"/a/train.py\", line 3, in f\nValueError: no\n";

TEST(FailureMessage, AfterSigkill_IsOnlyThatOfALauncherThatKillsItself) {
  EXPECT_EQ(said_after(killed_by(SIGKILL), kRaised), "");
  const std::string lightning =
      "[rank: 1] Child process with PID 7 terminated with code 1. Forcefully terminating all other processes to avoid "
      "zombies\n";
  EXPECT_EQ(said_after(killed_by(SIGKILL), kRaised + lightning), "ValueError: no at train.py:3");
}

TEST(FailureMessage, OfARecordedLauncher_IsThatOfItsProgram) {
  const std::string recorded =
      R"({"message": {"message": "x", "extraInfo": {"py_callstack": "Traceback (most recent call last):\n  File \"/a/run.py\", )"
      R"(line 2, in <module>\nsubprocess.CalledProcessError: Command 'x' returned non-zero exit status 1.\n"}}})";
  const auto said_with = [&](const std::string& text) {
    OneOutput output(text, recorded);
    return failure_message(output, {"error", "stderr"},
                           [] {
                             ExitStatus exit;
                             exit.code = 1;
                             return exit;
                           }())
        .said;
  };
  EXPECT_EQ(said_with(kRaised), "ValueError: no at train.py:3");
  EXPECT_TRUE(said_with("bye\n").starts_with("subprocess.CalledProcessError: ")) << said_with("bye\n");
}

TEST(FailureMessage, OfAShellThatASignalsCodeEnded_IsItsProgramsCrash) {
  ExitStatus exit;
  exit.code = 128 + SIGABRT;
  EXPECT_EQ(said_after(exit, "free(): invalid pointer\nrun.sh: line 3: 12 Aborted  ./train\nbye\n"),
            "free(): invalid pointer");
  exit.code = 7;
  EXPECT_EQ(said_after(exit, std::string(kRaised) + "no data\n"), "no data") << "it ended by itself";
  EXPECT_EQ(said_after(exit, std::string(kRaised) + "run.sh: line 3: 12 Terminated  ./train\n"),
            "ValueError: no at train.py:3");
}

TEST(FailureMessage, OfALauncherWhoseRankWasKilled_IsNotAnEarlierException) {
  const std::string failed =
      "Traceback (most recent call last):\n  File \"/venv/bin/torchrun\", line 8, in <module>\n"
      "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: \n====================\ntrain.py FAILED\n"
      "Root Cause (first observed failure):\n[0]:\n  rank      : 1 (local_rank: 1)\n"
      "  exitcode  : -9 (pid: 4117)  (SIGKILL)\n====================\n";
  EXPECT_EQ(said(kRaised + failed), "torchrun: rank 1 of train.py was killed by SIGKILL");
}

TEST(FailureMessage, OfAPeerThatFailedInTheSameOutput_IsThatOfTheFirst) {
  const auto raised = [](const std::string& rank, const std::string& text) {
    return "[" + rank + "]: Traceback (most recent call last):\n[" + rank +
           "]:   File \"/a/train.py\", line 3, in f\n[" + rank + "]: " + text + "\n";
  };
  const std::string lost = "RuntimeError: [gloo/transport/tcp/pair.cc:561] Connection closed by peer";
  EXPECT_EQ(said(raised("rank1", "ValueError: no") + raised("rank0", lost)), "ValueError: no at train.py:3");
  EXPECT_EQ(said(raised("rank0", "ValueError: no") + raised("rank0", lost)), lost + " at train.py:3")
      << "the rank had caught its own exception";
}

TEST(FailureMessage, OfALoadersWorkerWhoseMessageEndsWithNul_IsItsSignal) {
  using std::string_literals::operator""s;
  EXPECT_EQ(said("ERROR: Unexpected bus error encountered in worker.\n\0Traceback (most recent call last):\n"
                 "  File \"/a/load.py\", line 3, in f\n"
                 "RuntimeError: DataLoader worker (pid 7) is killed by signal: Bus error. It is possible\n"s),
            "RuntimeError: DataLoader worker was killed by SIGBUS at load.py:3");
}

TEST(FailureMessage, WithALongMessage_KeepsThePlace) {
  const std::string text = "Traceback (most recent call last):\n  File \"/a/train.py\", line 3, in f\nValueError: ";
  const std::string words = said(text + std::string(5000, 'x') + "\n");
  EXPECT_EQ(words.size(), 300u);
  EXPECT_TRUE(words.ends_with("… at train.py:3")) << words;
}

TEST(FailureMessage, AnExceptionLongAgoWasCaught) {
  const std::string caught = "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\nValueError: no\n";
  std::string rest;
  for (int i = 0; i < 100; ++i) rest += "step " + std::to_string(i) + "\n";
  EXPECT_EQ(said(caught + rest + "no data\n"), "no data");
  EXPECT_EQ(said(caught + "wandb: synced\n"), "ValueError: no at a.py:1");
}

}  // namespace
}  // namespace muster
