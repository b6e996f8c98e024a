// SPDX-License-Identifier: Apache-2.0
#include "core/job/exit_status.h"

#include <gtest/gtest.h>

#include <csignal>

namespace muster {
namespace {

ExitStatus exited(int code, std::string detail = "") {
  ExitStatus status;
  status.code = code;
  status.detail = std::move(detail);
  return status;
}

ExitStatus killed(int signal) {
  ExitStatus status;
  status.kind = ExitStatus::Kind::signalled;
  status.signal = signal;
  return status;
}

TEST(ExitStatus, CodesSayWhatShellsMean) {
  EXPECT_EQ(describe_exit(exited(0)), "exited with code 0");
  EXPECT_EQ(describe_exit(exited(2)), "exited with code 2");
  EXPECT_EQ(describe_exit(exited(127)), "exited with code 127 (command not found)");
  EXPECT_EQ(describe_exit(exited(139)), "exited with code 139 (128 + SIGSEGV)");
  EXPECT_EQ(describe_exit(exited(255)), "exited with code 255");
}

TEST(ExitStatus, ShellCode_OfEachKind_IsThatOfAShell) {
  ExitStatus not_started;
  not_started.kind = ExitStatus::Kind::not_started;
  EXPECT_EQ(shell_code(exited(3)), 3);
  EXPECT_EQ(shell_code(killed(9)), 137);
  EXPECT_EQ(shell_code(not_started), 127);
}

TEST(ExitStatus, ExceptionsAreRaised) {
  EXPECT_EQ(describe_exit(exited(1, "RuntimeError: shapes do not match at train.py:41")),
            "raised RuntimeError: shapes do not match at train.py:41");
  EXPECT_EQ(describe_exit(exited(1, "torch.cuda.OutOfMemoryError: CUDA")), "raised torch.cuda.OutOfMemoryError: CUDA");
  EXPECT_EQ(describe_exit(exited(1, "KeyboardInterrupt")), "raised KeyboardInterrupt");
  EXPECT_EQ(describe_exit(exited(1, "usage: train.py [-h]")), "exited with code 1: usage: train.py [-h]");
}

// With an exit code other than that of an uncaught exception, the program chose to exit.
TEST(ExitStatus, WhatWasCaughtIsNotRaised) {
  EXPECT_EQ(describe_exit(exited(6, "ValueError: no at t.py:3")), "exited with code 6: ValueError: no at t.py:3");
}

TEST(ExitStatus, WhatEndsATracebackIsRaisedWhateverItsName) {
  ExitStatus status = exited(1, "MyErr: no at t.py:3");
  EXPECT_EQ(describe_exit(status), "exited with code 1: MyErr: no at t.py:3");
  status.trace = "Traceback (most recent call last):\n";
  EXPECT_EQ(describe_exit(status), "raised MyErr: no at t.py:3");
}

TEST(ExitStatus, ARankOfAFailedService_WasStoppedBecauseOfIt) {
  ExitStatus status = killed(SIGTERM);
  status.asked = true;
  status.service_failed = true;
  status.detail = "MPI on node-a: cannot watch the socket of a rank";
  EXPECT_EQ(describe_exit(status), "was stopped because of MPI on node-a: cannot watch the socket of a rank");
  status.detail = "the service on node-a: the tracker exited with code 3";
  EXPECT_EQ(describe_exit(status), "was stopped because of the service on node-a: the tracker exited with code 3");
  status.signal = SIGKILL;
  EXPECT_EQ(describe_exit(status), "was killed by SIGKILL: the service on node-a: the tracker exited with code 3");
  status.signal = SIGTERM;
  status.service_failed = false;
  EXPECT_EQ(describe_exit(status), "was killed by SIGTERM: the service on node-a: the tracker exited with code 3");
}

TEST(ExitStatus, SignalsMemoryAndStarts) {
  EXPECT_EQ(describe_exit(killed(9)), "was killed by SIGKILL");
  ExitStatus status = killed(11);
  status.core_dumped = true;
  EXPECT_EQ(describe_exit(status), "was killed by SIGSEGV (core dumped)");
  status = killed(9);
  status.oom = true;
  status.detail = "limit 2.0 GiB";
  EXPECT_EQ(describe_exit(status), "ran out of memory and was killed: limit 2.0 GiB");
  status = ExitStatus{};
  status.kind = ExitStatus::Kind::not_started;
  status.detail = "no such file: trian.py";
  EXPECT_EQ(describe_exit(status), "could not be started: no such file: trian.py");
}

}  // namespace
}  // namespace muster
