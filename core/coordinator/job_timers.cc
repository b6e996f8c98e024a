// SPDX-License-Identifier: Apache-2.0
#include "core/coordinator/job_timers.h"

namespace muster {

JobTimers::~JobTimers() {
  for (const auto& [timer, id] : timers_) context_.ports.loop.cancel(id);
}

void JobTimers::arm(const job::ArmTimer& action) {
  Loop& loop = context_.ports.loop;
  TimerId& timer = timers_[action.timer];
  loop.cancel(timer);
  timer = loop.at(context_.ledger.on_loop(action.at),
                  [&core = context_.core, kind = action.timer] { core.happen(job::TimerFired{kind}); });
}

void JobTimers::cancel(const job::CancelTimer& action) {
  context_.ports.loop.cancel(timers_[action.timer]);
  timers_.erase(action.timer);
}

}  // namespace muster
