// SPDX-License-Identifier: Apache-2.0
#include "core/machine/worker/worker.h"

#include <csignal>

#include <gtest/gtest.h>

namespace muster::worker {
namespace {

using std::chrono::seconds;
using Actions = std::vector<Action>;

class WorkerMachine : public testing::Test {
 protected:
  Actions apply(const Event& event) {
    Step result = step(state_, now_, event);
    state_ = std::move(result.next);
    return result.actions;
  }
  void run() {
    apply(Start{});
    apply(Spawned{});
  }

  State state_;
  TimePoint now_ = from_unix_nanos(0) + seconds(100);
};

ExitStatus by_signal(int number) {
  ExitStatus exit;
  exit.kind = ExitStatus::Kind::signalled;
  exit.signal = number;
  return exit;
}

TEST_F(WorkerMachine, StartSpawnsOnceAndRuns) {
  EXPECT_EQ(apply(Start{}), Actions{Spawn{}});
  EXPECT_EQ(apply(Start{}), Actions{});
  EXPECT_EQ(apply(Spawned{}), Actions{Changed{}});
  EXPECT_EQ(state_.phase, Phase::running);
  EXPECT_EQ(state_.started, now_);
}

TEST_F(WorkerMachine, ExitIsReportedAndFinal) {
  run();
  EXPECT_EQ(apply(Exited{by_signal(SIGSEGV)}), Actions{Changed{}});
  const State ended = state_;
  for (const Event& event : {Event{Start{}}, Event{Spawned{}}, Event{Exited{}}, Event{Stop{}}, Event{TimerFired{}}}) {
    EXPECT_EQ(apply(event), Actions{});
  }
  EXPECT_EQ(state_, ended);
  EXPECT_EQ(state_.exit, by_signal(SIGSEGV));
}

TEST_F(WorkerMachine, StopWithGraceTerminatesThenKills) {
  run();
  const TimePoint kill_at = now_ + seconds(5);
  EXPECT_EQ(apply(Stop{seconds(5)}), (Actions{Signal{SIGTERM}, ArmTimer{kill_at}, Changed{}}));
  now_ = kill_at;
  EXPECT_EQ(apply(TimerFired{}), Actions{Signal{SIGKILL}});
  EXPECT_EQ(apply(TimerFired{}), Actions{});
}

TEST_F(WorkerMachine, StopSendsTheSignalThatWasAskedFor) {
  run();
  EXPECT_EQ(apply(Stop{seconds(5), SIGINT}), (Actions{Signal{SIGINT}, ArmTimer{now_ + seconds(5)}, Changed{}}));
  EXPECT_EQ(apply(Stop{seconds(9)}), Actions{});
}

TEST_F(WorkerMachine, StopBeforeItRunsSendsItsSignalWhenItDoes) {
  apply(Start{});
  apply(Stop{seconds(5), SIGUSR1});
  EXPECT_EQ(apply(Spawned{}), Actions{Signal{SIGUSR1}});
}

TEST_F(WorkerMachine, TimerThatFiresEarlyIsArmedAgain) {
  run();
  apply(Stop{seconds(5)});
  EXPECT_EQ(apply(TimerFired{}), Actions{ArmTimer{now_ + seconds(5)}});
}

TEST_F(WorkerMachine, StopWithoutGraceKillsAtOnce) {
  run();
  EXPECT_EQ(apply(Stop{}), (Actions{Signal{SIGKILL}, Changed{}}));
  EXPECT_EQ(apply(Stop{}), Actions{});
  EXPECT_EQ(apply(Stop{seconds(9)}), Actions{});
}

TEST_F(WorkerMachine, GraceIsShortenedNeverLengthened) {
  run();
  apply(Stop{seconds(30)});
  EXPECT_EQ(apply(Stop{seconds(60)}), Actions{});
  EXPECT_EQ(apply(Stop{seconds(30)}), Actions{});
  EXPECT_EQ(apply(Stop{seconds(2)}), Actions{ArmTimer{now_ + seconds(2)}});
  EXPECT_EQ(apply(Stop{seconds(0)}), Actions{Signal{SIGKILL}});
}

TEST_F(WorkerMachine, StopBeforeStartEndsWithoutProcess) {
  EXPECT_EQ(apply(Stop{seconds(5)}), Actions{Changed{}});
  EXPECT_EQ(state_.exit, by_signal(SIGTERM));
  EXPECT_EQ(apply(Start{}), Actions{});
}

TEST_F(WorkerMachine, StopWhileSpawningSignalsWhenTheProcessIsThere) {
  apply(Start{});
  EXPECT_EQ(apply(Stop{seconds(5)}), (Actions{ArmTimer{now_ + seconds(5)}, Changed{}}));
  EXPECT_EQ(apply(Spawned{}), Actions{Signal{SIGTERM}});
}

TEST_F(WorkerMachine, KillWhileSpawningKillsWhenTheProcessIsThere) {
  apply(Start{});
  EXPECT_EQ(apply(Stop{}), Actions{Changed{}});
  EXPECT_EQ(apply(Spawned{}), Actions{Signal{SIGKILL}});
}

TEST_F(WorkerMachine, SpawnFailureIsTheExit) {
  apply(Start{});
  ExitStatus exit;
  exit.kind = ExitStatus::Kind::not_started;
  exit.detail = "no such file";
  EXPECT_EQ(apply(SpawnFailed{exit}), Actions{Changed{}});
  EXPECT_EQ(state_.phase, Phase::exited);
  EXPECT_EQ(state_.exit, exit);
}

}  // namespace
}  // namespace muster::worker
