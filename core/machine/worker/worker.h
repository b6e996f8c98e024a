// The machine of one worker process on its node: starting → running → stopping → exited. Pure (DESIGN.md §5).
//
// Not concerned with ranks of other nodes, restarts or why: it starts once, stops with grace, and tells how it ended.
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

// DesiredState: run.
struct State {
  Phase phase = Phase::waiting;
  ExitStatus exit;    // once exited
  TimePoint started;  // when the program began to run; the epoch if it never did
  TimePoint ended;
  std::optional<TimePoint> kill_at;  // while stopping with grace
  int stop_signal = SIGTERM;         // while stopping: what it began with
  bool spawned = false;              // a process was there to be signalled
  bool killed = false;               // SIGKILL is due: sent, or sent as soon as the process is there
  bool operator==(const State&) const = default;
};

// DesiredState: run.
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
// DesiredState: stop; repeated and shortened freely. `signal`: what the first one sends.
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
// To the process group.
struct Signal {
  int number = 0;
  bool operator==(const Signal&) const = default;
};
// Replaces an earlier one.
struct ArmTimer {
  TimePoint at;
  bool operator==(const ArmTimer&) const = default;
};
// Report it now, not at the next beat.
struct Changed {
  bool operator==(const Changed&) const = default;
};
using Action = std::variant<Spawn, Signal, ArmTimer, Changed>;

struct Step {
  State next;
  std::vector<Action> actions;
};

// Start acts in idle only. Stop: a worker that never started is exited by SIGTERM without a process; a later Stop
// may shorten the grace, never lengthen it; grace 0 is SIGKILL at once. A Stop between Spawn and Spawned signals
// when the process is there; its grace runs from the Stop. A timer that fires early is armed again. Exited is
// final: an event after it changes nothing.
Step step(State state, TimePoint now, const Event& event);

}  // namespace muster::worker
