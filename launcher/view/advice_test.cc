// SPDX-License-Identifier: Apache-2.0
#include "launcher/view/advice.h"

#include <gtest/gtest.h>

#include <csignal>

#include "core/job/file/job_yaml.h"
#include "launcher/view/why_view.h"

namespace muster {
namespace {

ExitStatus exited(int code, const std::string& detail = "") {
  ExitStatus exit;
  exit.code = code;
  exit.detail = detail;
  return exit;
}

ExitStatus crashed() {
  ExitStatus exit;
  exit.kind = ExitStatus::Kind::signalled;
  exit.signal = SIGSEGV;
  return exit;
}

// Two ranks, of which the second failed in the same way in every attempt.
JobView failed(const ExitStatus& exit, uint32_t attempts = 1, const std::string& second_host = "a") {
  JobView job;
  job.name = "job";
  job.state = "failed";
  job.restart_limit = 3;
  job.ranks.resize(2);
  job.ranks[0].host = "a";
  job.ranks[1].host = second_host;
  for (Attempt number = 1; number <= attempts; ++number) {
    AttemptView attempt;
    attempt.attempt = number;
    attempt.cause = "rank 1 failed";
    attempt.culprit = 1;
    attempt.culprit_exit = exit;
    job.attempts.push_back(attempt);
  }
  return job;
}

std::string rule(const ExitStatus& exit) { return advice(failed(exit, 2)); }

TEST(Advice, ARuleThatStopsAtThisFailureAndNoOther) {
  EXPECT_EQ(rule(exited(3)), "restarts.never_on: [exit 3] to fail at once, without restarts");
  EXPECT_EQ(rule(exited(1, "a.b.OddError: x at t.py:3")),
            "restarts.never_on: [exception OddError] to fail at once, without restarts");
  EXPECT_EQ(rule(exited(6, "OddError: x at t.py:3")), "restarts.never_on: [exit 6] to fail at once, without restarts");
  EXPECT_EQ(rule(ExitStatus()), "restarts.never_on: [hang] to fail at once, without restarts")
      << "the rank had not ended";
}

TEST(Advice, RestartsWhereNoneWereAskedForAndTheFailureMayPass) {
  const std::string hint = "--restarts 3 restarts the job after such a failure";
  const auto unlimited = [](const ExitStatus& exit) {
    JobView job = failed(exit);
    job.restart_limit = 0;
    return advice(job);
  };
  EXPECT_NE(unlimited(crashed()).find(hint), std::string::npos);
  EXPECT_EQ(unlimited(exited(3)).find(hint), std::string::npos) << "a restart would not help";
  EXPECT_EQ(advice(failed(crashed())).find(hint), std::string::npos) << "the job had restarts";
}

TEST(Advice, HostsHaveANetworkOnlyWhereThereAreSeveral) {
  const ExitStatus closed = exited(1, "torch.distributed.DistNetworkError: failed to recv, got 0 bytes");
  EXPECT_EQ(advice(failed(closed)),
            "muster logs job shows all ranks: one closed its connections, and none had failed before");
  EXPECT_NE(advice(failed(closed, 1, "b")).find("the network between the hosts"), std::string::npos);
  const ExitStatus late = exited(1, "RuntimeError: [gloo/unbound_buffer.cc:81] Timed out waiting 1800000ms");
  EXPECT_EQ(advice(failed(late)).find("network"), std::string::npos);
  EXPECT_NE(advice(failed(late)).find("came late to a collective"), std::string::npos);
}

TEST(Advice, AMissingVariableOfTorchrun_NamesTheKeyFramework) {
  const auto told = [](const std::string& framework, const std::string& detail) {
    JobView job = failed(exited(1, detail));
    job.framework = framework;
    return advice(job);
  };
  const std::string torch =
      "ValueError: Error initializing torch.distributed using env:// rendezvous: environment variable RANK expected, "
      "but not set at train.py:3";
  const std::string way = "write framework: torch, or type --framework torch: framework plain does not set ";
  EXPECT_EQ(told("plain", torch), way + "RANK");
  EXPECT_EQ(told("plain", "KeyError: 'LOCAL_RANK' at train.py:3"), way + "LOCAL_RANK");
  EXPECT_EQ(told("plain", "KeyError: 'MASTER_ADDR' at train.py:3"), way + "MASTER_ADDR");
  EXPECT_EQ(told("jax", "KeyError: 'RANK' at train.py:3"),
            "write framework: torch, or type --framework torch: framework jax does not set RANK");
  EXPECT_EQ(told("torch", torch), "") << "the program unset it";
  EXPECT_EQ(told("plain", "KeyError: 'OTHER' at train.py:3"), "");
  EXPECT_EQ(told("any", "RuntimeError: CUDA error: invalid device ordinal at train.py:4"),
            "write framework: torch, or type --framework torch: framework any shows each rank only its own GPUs");
}

TEST(Advice, OfACrashOnlyWhatIsNotThereAlready) {
  JobView job = failed(crashed());
  EXPECT_EQ(advice(job), "ulimit -c unlimited keeps a core file");
  job.spec_json = R"({"groups": [{"command": ["python", "train.py"]}]})";
  EXPECT_EQ(advice(job), "PYTHONFAULTHANDLER=1 in env shows the Python lines; ulimit -c unlimited keeps a core file");
  job.attempts[0].culprit_exit.core_file = "/tmp/core.7";
  EXPECT_EQ(advice(job), "PYTHONFAULTHANDLER=1 in env shows the Python lines");
}

TEST(Advice, EndOfInput_EachKindOfJob_OnlyFlagsThatItsCommandTakes) {
  JobView job = failed(exited(1, "EOFError: EOF when reading a line at t.py:3"));
  const auto with = [&](JobSpec spec) {
    spec.groups = {GroupSpec{}};
    spec.groups[0].command = {"x"};
    job.spec_json = spec_to_json(spec);
    return advice(job);
  };
  EXPECT_NE(with({}).find("--stdin RANK"), std::string::npos);
  JobSpec torchrun;
  torchrun.torch.macros = true;
  EXPECT_EQ(with(torchrun), "rank 0 reads the stdin of muster torchrun, and the other ranks read an empty one");
  job.backend = "typed";
  EXPECT_EQ(with(torchrun).find("reads"), std::string::npos) << "ranks on several hosts";
  job.backend = "";
  JobSpec pods;
  pods.backend = BackendKind::kubernetes;
  EXPECT_EQ(with(pods).find("--"), std::string::npos);
  JobSpec hosts;
  hosts.backend = BackendKind::ssh;
  EXPECT_NE(with(hosts).find("--tty RANK"), std::string::npos);
}

TEST(Advice, OfACrash_AsksForTheFaulthandlerOnce) {
  JobView job = failed(crashed());
  job.spec_json = R"({"groups": [{"command": ["python", "train.py"]}], "env": {"PYTHONFAULTHANDLER": "1"}})";
  EXPECT_EQ(advice(job), "ulimit -c unlimited keeps a core file");
  job.spec_json = R"({"groups": [{"command": ["python", "train.py"]}]})";
  job.attempts[0].culprit_exit.trace = "Current thread 0x1 (most recent call first):\n";
  EXPECT_EQ(advice(job), "ulimit -c unlimited keeps a core file");
}

TEST(Advice, OfAJobThatSucceededAfterAFailure_IsThatOfTheFailure) {
  ExitStatus exit = crashed();
  exit.signal = SIGKILL;
  exit.oom = true;
  JobView job = failed(exit);
  job.state = "succeeded";
  job.attempts.push_back({.attempt = 2});
  EXPECT_NE(advice(job).find("worker.memory"), std::string::npos);
  job.attempts[0].culprit_exit = exited(3);
  EXPECT_EQ(advice(job), "");
}

TEST(Advice, OfAFailureWhileTheKernelKilledForMemory_IsAboutMemory) {
  ExitStatus exit = exited(1, "RuntimeError: DataLoader worker was killed by SIGKILL at t.py:3");
  exit.trace =
      "Traceback (most recent call last):\nThe kernel killed process 7 (python3), for lack of memory at that time.\n";
  EXPECT_NE(advice(failed(exit)).find("worker.memory"), std::string::npos);
}

TEST(Advice, OfAKillThatWasNotForMemory_DoesNotAskForDmesg) {
  ExitStatus exit = crashed();
  exit.signal = SIGKILL;
  EXPECT_NE(advice(failed(exit)).find("dmesg"), std::string::npos);
  exit.trace =
      "The kernel killed no process for lack of memory, so the program itself or another process sent SIGKILL.\n";
  EXPECT_EQ(advice(failed(exit)).find("dmesg"), std::string::npos);
}

TEST(Advice, OfAShellWhoseProgramCrashed_IsThatOfTheCrash) {
  EXPECT_NE(advice(failed(exited(128 + SIGSEGV))).find("core file"), std::string::npos);
  EXPECT_NE(advice(failed(exited(128 + SIGKILL))).find("outside muster"), std::string::npos);
}

TEST(Advice, OfALoadersWorker_NamesItsMemory) {
  EXPECT_NE(advice(failed(exited(1, "RuntimeError: DataLoader worker was killed by SIGKILL at t.py:3"))).find("dmesg"),
            std::string::npos);
  EXPECT_NE(
      advice(failed(exited(1, "RuntimeError: DataLoader worker was killed by SIGBUS at t.py:3"))).find("shared memory"),
      std::string::npos);
}

TEST(Advice, AGuardianThatWasKilledIsNamed) {
  ExitStatus exit = crashed();
  exit.signal = SIGTERM;
  exit.detail = "its guardian died";
  EXPECT_NE(advice(failed(exit)).find("killed the guardian"), std::string::npos);
}

TEST(Why, SaysWhyTheJobWasNotRestarted) {
  JobView job = failed(exited(3));
  job.done = true;
  job.sentence = "failed: rank 1 failed (restarts.never_on: exit 3), in attempt 1 of 4";
  EXPECT_EQ(why_view(job, {}).substr(0, why_view(job, {}).find('\n')), "Rank 1 failed (restarts.never_on: exit 3).");
}

TEST(Why, WhatIsOnlyARemarkIsNoLoss) {
  JobView job;
  job.name = "job";
  job.state = "succeeded";
  job.troubles = {"ranks are started without warm imports: importing nosuch failed"};
  EXPECT_EQ(why_view(job, {}),
            "job succeeded; nothing failed.\n"
            "Note: ranks are started without warm imports: importing nosuch failed.\n");
  job.troubles.push_back("output of ranks is being lost: disk full");
  EXPECT_TRUE(why_view(job, {}).starts_with("job succeeded, but something was lost.\nLost: output of ranks"));
}

}  // namespace
}  // namespace muster
