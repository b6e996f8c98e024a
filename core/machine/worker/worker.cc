// SPDX-License-Identifier: Apache-2.0
#include "core/machine/worker/worker.h"

#include <csignal>

namespace muster::worker {
namespace {

struct Turn {
  State& state;
  TimePoint now;
  std::vector<Action> actions;
};

void end(Turn& turn, const ExitStatus& exit) {
  turn.state.phase = Phase::exited;
  turn.state.exit = exit;
  turn.state.ended = turn.now;
  turn.state.kill_at.reset();
  turn.actions.emplace_back(Changed{});
}

void signal(Turn& turn, int number) {
  // Between Spawn and Spawned there is no process to signal; Spawned checks `killed`.
  if (turn.state.spawned) turn.actions.emplace_back(Signal{number});
}

void kill(Turn& turn) {
  turn.state.killed = true;
  turn.state.kill_at.reset();
  signal(turn, SIGKILL);
}

void kill_after(Turn& turn, Duration grace) {
  turn.state.kill_at = turn.now + grace;
  turn.actions.emplace_back(ArmTimer{*turn.state.kill_at});
}

void begin_stopping(Turn& turn, const Stop& stop) {
  turn.state.phase = Phase::stopping;
  turn.state.stop_signal = stop.signal;
  if (stop.grace <= Duration{0}) {
    kill(turn);
  } else {
    signal(turn, stop.signal);
    kill_after(turn, stop.grace);
  }
  turn.actions.emplace_back(Changed{});
}

void shorten(Turn& turn, Duration grace) {
  if (turn.state.killed) return;
  if (grace <= Duration{0}) return kill(turn);
  if (turn.now + grace < *turn.state.kill_at) kill_after(turn, grace);
}

ExitStatus terminated_before_start() {
  ExitStatus exit;
  exit.kind = ExitStatus::Kind::signalled;
  exit.signal = SIGTERM;
  return exit;
}

void on(Turn& turn, const Start&) {
  if (turn.state.phase != Phase::waiting) return;
  turn.state.phase = Phase::starting;
  turn.actions.emplace_back(Spawn{});
}

void on(Turn& turn, const Spawned&) {
  const bool expected = turn.state.phase == Phase::starting || turn.state.phase == Phase::stopping;
  if (!expected || turn.state.spawned) return;
  turn.state.spawned = true;
  turn.state.started = turn.now;
  if (turn.state.phase == Phase::stopping) return signal(turn, turn.state.killed ? SIGKILL : turn.state.stop_signal);
  turn.state.phase = Phase::running;
  turn.actions.emplace_back(Changed{});
}

void on(Turn& turn, const SpawnFailed& failed) {
  const bool expected = turn.state.phase == Phase::starting || turn.state.phase == Phase::stopping;
  if (expected && !turn.state.spawned) end(turn, failed.exit);
}

void on(Turn& turn, const Exited& exited) {
  if (turn.state.phase == Phase::waiting || turn.state.phase == Phase::exited) return;
  ExitStatus exit = exited.exit;
  exit.asked = turn.state.phase == Phase::stopping;
  end(turn, exit);
}

void on(Turn& turn, const Stop& stop) {
  switch (turn.state.phase) {
    case Phase::waiting: return end(turn, terminated_before_start());
    case Phase::starting:
    case Phase::running: return begin_stopping(turn, stop);
    case Phase::stopping: return shorten(turn, stop.grace);
    case Phase::exited: return;
  }
}

void on(Turn& turn, const TimerFired&) {
  if (turn.state.phase != Phase::stopping || !turn.state.kill_at) return;
  if (turn.now < *turn.state.kill_at) {
    turn.actions.emplace_back(ArmTimer{*turn.state.kill_at});
  } else {
    kill(turn);
  }
}

}  // namespace

Step step(State state, TimePoint now, const Event& event) {
  Turn turn{state, now, {}};
  std::visit([&](const auto& happened) { on(turn, happened); }, event);
  return Step{std::move(state), std::move(turn.actions)};
}

}  // namespace muster::worker
