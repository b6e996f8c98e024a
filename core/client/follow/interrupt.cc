// SPDX-License-Identifier: Apache-2.0
#include "core/client/follow/interrupt.h"

#include "core/client/exit_code.h"

namespace muster {

InterruptAction Interrupts::detach() {
  stage_ = Stage::left;
  return InterruptAction::detach;
}

// The next stronger action: stop first, then kill.
InterruptAction Interrupts::stop_or_kill() {
  if (stage_ == Stage::killing) return InterruptAction::none;
  const bool kill = stage_ == Stage::stopping;
  stage_ = kill ? Stage::killing : Stage::stopping;
  return kill ? InterruptAction::kill : InterruptAction::stop;
}

InterruptAction Interrupts::first_signal(bool may_ask) {
  if (mode_ == InterruptMode::look || mode_ == InterruptMode::attach) return detach();
  if (mode_ == InterruptMode::standalone) return stop_or_kill();
  if (may_ask && terminal_) {
    stage_ = Stage::asking;
    return InterruptAction::ask;
  }
  return stop_or_kill();
}

InterruptAction Interrupts::on(InterruptEvent event) {
  if (stage_ == Stage::left) return InterruptAction::none;
  switch (event) {
    case InterruptEvent::interrupt:
      exit_code_ = exit_interrupted;
      return stage_ == Stage::calm ? first_signal(true) : stop_or_kill();
    case InterruptEvent::terminate:
      exit_code_ = exit_terminated;
      return stage_ == Stage::calm || stage_ == Stage::asking ? first_signal(false) : stop_or_kill();
    case InterruptEvent::hangup:
      if (mode_ != InterruptMode::standalone) return detach();
      return stage_ == Stage::calm ? stop_or_kill() : InterruptAction::none;
    case InterruptEvent::timeout:
    case InterruptEvent::pick_detach: return asking() ? detach() : InterruptAction::none;
    case InterruptEvent::pick_stop: return asking() ? stop_or_kill() : InterruptAction::none;
    case InterruptEvent::pick_kill:
      if (!asking()) return InterruptAction::none;
      stage_ = Stage::killing;
      return InterruptAction::kill;
  }
  return InterruptAction::none;
}

bool pick_of_key(char key, InterruptEvent& picked) {
  switch (key) {
    case 'd':
    case 'D':
    case '\r':
    case '\n': picked = InterruptEvent::pick_detach; return true;
    case 's':
    case 'S': picked = InterruptEvent::pick_stop; return true;
    case 'k':
    case 'K': picked = InterruptEvent::pick_kill; return true;
    default: return false;
  }
}

}  // namespace muster
