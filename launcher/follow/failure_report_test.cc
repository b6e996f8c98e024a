// SPDX-License-Identifier: Apache-2.0
#include "launcher/follow/failure_report.h"

#include <gtest/gtest.h>

#include "core/client/follow/follow_fakes.h"

namespace muster {
namespace {

JobView failed_job() {
  JobView job = view_of(2, "failed");
  job.sentence = "failed: rank 1 raised RuntimeError: no at t.py:3";
  job.attempts = {{.attempt = 1, .cause = "x", .culprit = 1, .consequences = {"rank 0 was killed by SIGTERM"}}};
  return job;
}

constexpr const char* kTraceback =
    "noise\nTraceback (most recent call last):\n  File \"t.py\", line 3\nRuntimeError: no\nmore noise\n";

TEST(FailureReport, CulpritEvidenceConsequencesWhereNext) {
  EXPECT_EQ(failure_report(failed_job(), {.stderr_tail = kTraceback}, {}),
            "train-7f2  failed: rank 1 raised RuntimeError: no at t.py:3\n"
            "  Traceback (most recent call last):\n"
            "    File \"t.py\", line 3\n"
            "  RuntimeError: no\n"
            "then:  rank 0 was killed by SIGTERM\n"
            "logs:  muster logs train-7f2 --rank 1\n"
            "why:   muster why train-7f2\n");
}

TEST(FailureReport, WhatTheStoreWouldNotHaveIsToldWithIt) {
  JobView job = failed_job();
  job.troubles = {"the torch store on a closed a client's connection: a key has 65 bytes; the limit is 64 B"};
  EXPECT_NE(failure_report(job, {}, {}).find("\nnote:  the torch store on a closed a client's connection: a key"),
            std::string::npos);
}

TEST(FailureReport, OfALauncher_HasTheTracebackOfItsProcess) {
  JobView job = failed_job();
  job.attempts[0].culprit_exit.trace =
      "Traceback (most recent call last):\n  File \"t.py\", line 3\nRuntimeError: no\n";
  const std::string text = failure_report(
      job, {.stderr_tail = "Traceback (most recent call last):\n  File \"run.py\", line 8\nChildFailedError: \n"}, {});
  EXPECT_NE(text.find("  RuntimeError: no\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("ChildFailedError"), std::string::npos) << text;
}

TEST(FailureReport, SaysNothingTwice) {
  const std::string text = failure_report(failed_job(), {.stderr_tail = kTraceback, .was_shown = true}, {});
  EXPECT_EQ(text.find("Traceback"), std::string::npos);
}

TEST(FailureReport, TheErrorFileKnowsBest) {
  FailureFacts facts{.stderr_tail = kTraceback, .was_shown = true, .log_file = "/l/attempt_0/1/stderr.log"};
  facts.error = RankError{"ValueError: other", "Traceback (most recent call last):\n  deep\nValueError: other"};
  const std::string text = failure_report(failed_job(), facts, {});
  EXPECT_NE(text.find("    deep\n  ValueError: other\n"), std::string::npos);
  EXPECT_NE(text.find("logs:  /l/attempt_0/1/stderr.log\n"), std::string::npos);
  facts.error = RankError{"out of paper", ""};
  EXPECT_NE(failure_report(failed_job(), facts, {}).find("  out of paper\n"), std::string::npos);
}

TEST(FailureReport, AMissingModuleIsAQuestionOfTheInterpreter) {
  JobView job = failed_job();
  job.sentence = "failed: rank 1 raised ModuleNotFoundError: No module named 'torch' at t.py:1";
  const std::string text = failure_report(job, {.interpreter = "/usr/bin/python3"}, {});
  EXPECT_NE(text.find("fix:   /usr/bin/python3 has no module `torch`; "), std::string::npos) << text;
  job.sentence = "failed: rank 1 exited with code 1: /usr/bin/python3: No module named pkg.train";
  EXPECT_NE(failure_report(job, {.interpreter = "p"}, {}).find("no module `pkg.train`"), std::string::npos);
}

TEST(TracebackEnd, KeepsTheEnd) {
  std::string text = "Traceback (most recent call last):\n";
  for (int i = 0; i < 20; ++i) text += "  frame\n";
  text += "Error: x\n";
  EXPECT_EQ(traceback_end(text, 3), "… 20 lines of the traceback left out\n  frame\nError: x");
  EXPECT_EQ(
      traceback_end("[rank1]: Traceback (most recent call last):\n[rank1]:   frame\n[rank1]: Error: x\n[rank1]: y", 3),
      "Traceback (most recent call last):\n  frame\nError: x");
  EXPECT_EQ(traceback_end("nothing of that kind", 3), "");
}

TEST(ErrorFile, IsReadInEveryForm) {
  const auto error =
      parse_error_file(R"({"message": {"message": "E: x", "extraInfo": {"py_callstack": "T", "timestamp": "1"}}})");
  ASSERT_TRUE(error);
  EXPECT_EQ(error->message, "E: x");
  EXPECT_EQ(error->traceback, "T");
  EXPECT_EQ(parse_error_file(R"({"message": "plain"})")->message, "plain");
  for (const char* none : {"", "{", "[]", "{}", R"({"message": 3})"}) EXPECT_FALSE(parse_error_file(none)) << none;
}

TEST(ErrorFile, GetsTheCodeForTheLauncherAbove) {
  EXPECT_EQ(error_file_with_code(R"({"message":{"message":"x"}})", -9),
            R"({"message":{"errorCode":-9,"message":"x"}})");
  EXPECT_EQ(error_file_with_code(R"({"message":"x"})", 1), R"({"message":"x"})");
}

}  // namespace
}  // namespace muster
