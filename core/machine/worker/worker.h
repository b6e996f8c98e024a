// SPDX-License-Identifier: Apache-2.0
// The machine of one worker process on its node: starting → running → stopping → exited. Pure (docs/design/architecture.md).
//
// It knows nothing of other ranks or of restarts: it starts once, stops with grace, and reports its exit.
#pragma once

#include <csignal>
#include <optional>
#include <variant>
#include <vector>

#include "core/base/time.h"
#include "core/job/exit_status.h"
#include "core/job/rank_phase.h"

namespace muster::worker {

using Phase = RankPhase;

struct State {
  Phase phase = Phase::waiting;
  ExitStatus exit;    // once exited
  TimePoint started;  // when the program began to run; the epoch if it never did
  TimePoint ended;
  std::optional<TimePoint> kill_at;  // while stopping with grace
  int stop_signal = SIGTERM;         // while stopping: the first signal
  bool spawned = false;              // the process exists or existed
  bool killed = false;               // SIGKILL was sent, or is sent as soon as the process exists
  bool operator==(const State&) const = default;
};

// The desired state is: run.
struct Start {
  bool operator==(const Start&) const = default;
};
// The program runs.
struct Spawned {
  bool operator==(const Spawned&) const = default;
};
struct SpawnFailed {
  ExitStatus exit;
  bool operator==(const SpawnFailed&) const = default;
};
struct Exited {
  ExitStatus exit;
  bool operator==(const Exited&) const = default;
};
// The desired state is: stop. It may be repeated, and its grace shortened. `signal`: sent by the first one.
struct Stop {
  Duration grace{0};
  int signal = SIGTERM;
  bool operator==(const Stop&) const = default;
};
struct TimerFired {
  bool operator==(const TimerFired&) const = default;
};
using Event = std::variant<Start, Spawned, SpawnFailed, Exited, Stop, TimerFired>;

struct Spawn {
  bool operator==(const Spawn&) const = default;
};
// SIGKILL is sent to the whole process group, other signals to its main process.
struct Signal {
  int number = 0;
  bool operator==(const Signal&) const = default;
};
// Replaces an earlier one.
struct ArmTimer {
  TimePoint at;
  bool operator==(const ArmTimer&) const = default;
};
// The state changed: report it now, not with the next heartbeat.
struct Changed {
  bool operator==(const Changed&) const = default;
};
using Action = std::variant<Spawn, Signal, ArmTimer, Changed>;

struct Step {
  State next;
  std::vector<Action> actions;
};

// Start has an effect only in phase waiting. Stop: a worker that never started becomes exited by SIGTERM, without a process.
// A later Stop may shorten the grace but not lengthen it; grace 0 sends SIGKILL at once. After a Stop between Spawn and Spawned
// the signal is sent when the process exists; the grace runs from the Stop. A timer that fires early is armed again. Exited
// is final: later events change nothing.
Step step(State state, TimePoint now, const Event& event);

}  // namespace muster::worker
