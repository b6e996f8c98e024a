// SPDX-License-Identifier: Apache-2.0
#include "core/controller/idle_watch.h"

#include <algorithm>

namespace muster {
namespace {

// Time for the first call of the command that started this process.
constexpr Duration kFirstCall = std::chrono::seconds(2);

}  // namespace

IdleWatch::IdleWatch(const ControllerPorts& ports, Limits limits, std::function<bool()> is_busy,
                     std::function<void()> leave)
    : ports_(ports),
      limits_(limits),
      is_busy_(std::move(is_busy)),
      leave_(std::move(leave)) {
  if (limits_.idle > Duration(0)) stay_for(std::max(limits_.idle, kFirstCall));
}

void IdleWatch::used() {
  used_at_ = ports_.loop.now();
  if (limits_.idle > Duration(0)) stay_for(limits_.idle);
}

void IdleWatch::stay_for(Duration time) {
  ports_.loop.cancel(timer_);
  timer_ = ports_.loop.at(ports_.loop.now() + time, [this] { check(); });
}

void IdleWatch::check() {
  if (is_busy_()) return used();
  const std::vector<IdleAgent> agents = idle_agents_of(ports_.backends.local());
  const bool warm =
      std::any_of(agents.begin(), agents.end(), [](const IdleAgent& agent) { return !agent.warm.empty(); });
  if (warm && ports_.loop.now() - used_at_ < limits_.warm_idle) return stay_for(limits_.idle);
  ports_.log.info("idle for " + format_duration(limits_.idle) + ": exiting");
  leave_();
}

}  // namespace muster
