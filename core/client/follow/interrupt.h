// SPDX-License-Identifier: Apache-2.0
// State machine for Ctrl-C: decides what signals and keys do while a job is followed (docs/design/output.md). Pure.
#pragma once

#include <string>

namespace muster {

// The kind of command that gets the signal.
enum class InterruptMode {
  run,         // it started the job: asks on a terminal, stops the job without one
  attach,      // another command started the job: detaches and says that the job continues
  standalone,  // it hosts the job, which cannot continue without it: stops the job
  look,        // logs -f, events -f: detaches
};

enum class InterruptAction { none, ask, detach, stop, kill };

enum class InterruptEvent { interrupt, terminate, hangup, timeout, pick_detach, pick_stop, pick_kill };

class Interrupts {
 public:
  Interrupts(InterruptMode mode, bool terminal) : mode_(mode), terminal_(terminal) {}

  // Returns the action to take. After `ask` the caller sends `timeout` if the question is not answered in time.
  InterruptAction on(InterruptEvent event);

  bool asking() const { return stage_ == Stage::asking; }

  // 130 or 143 if a signal ended the following; 0: use the job's exit code.
  int exit_code() const { return exit_code_; }

 private:
  enum class Stage { calm, asking, stopping, killing, left };
  InterruptAction detach();
  InterruptAction stop_or_kill();
  InterruptAction first_signal(bool may_ask);

  InterruptMode mode_;
  bool terminal_;
  Stage stage_ = Stage::calm;
  int exit_code_ = 0;
};

// Maps a key typed at the question (d or Enter, s, k) to an event. False: another key; the question remains open.
bool pick_of_key(char key, InterruptEvent& picked);

}  // namespace muster
