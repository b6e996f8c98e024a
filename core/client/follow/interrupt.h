// The Ctrl-C machine: what signals and keys mean while a job is followed (DESIGN.md §9.9). Pure.
#pragma once

#include <string>

namespace muster {

// Whose signals these are.
enum class InterruptMode {
  run,         // this command started the job: ask on a terminal, stop without one
  attach,      // another command did: always leave, and say so
  standalone,  // the job cannot outlive us: always stop
  look,        // logs -f, events -f: always leave
};

enum class InterruptAction { none, ask, detach, stop, kill };

enum class InterruptEvent { interrupt, terminate, hangup, timeout, pick_detach, pick_stop, pick_kill };

class Interrupts {
 public:
  Interrupts(InterruptMode mode, bool terminal) : mode_(mode), terminal_(terminal) {}

  // What to do now. After `ask` send a `timeout` when nobody answered in time.
  InterruptAction on(InterruptEvent event);

  bool asking() const { return stage_ == Stage::asking; }

  // 130 or 143 when a signal ended the following, else 0: the job's own code counts.
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

// What a key typed at the question picks: d or Enter, s, k; none of them leaves the question standing.
bool pick_of_key(char key, InterruptEvent& picked);

}  // namespace muster
