// SPDX-License-Identifier: Apache-2.0
// IdleWatch: ends a controller that has been idle for a while. Loop thread only.
#pragma once

#include <functional>

#include "core/controller/controller_ports.h"

namespace muster {

class IdleWatch {
 public:
  struct Limits {
    Duration idle{0};       // 0: never
    Duration warm_idle{0};  // the same while a waiting agent keeps something warm
  };

  // `is_busy`: whether there is work now. `leave` is called when there was neither work nor a call for as long as the limits say.
  IdleWatch(const ControllerPorts& ports, Limits limits, std::function<bool()> is_busy, std::function<void()> leave);
  ~IdleWatch() { ports_.loop.cancel(timer_); }
  IdleWatch(const IdleWatch&) = delete;
  IdleWatch& operator=(const IdleWatch&) = delete;

  // A call came, or a job or a viewer ended: the time starts again.
  void used();

 private:
  void stay_for(Duration time);
  void check();

  const ControllerPorts& ports_;
  const Limits limits_;
  const std::function<bool()> is_busy_;
  const std::function<void()> leave_;
  TimePoint used_at_;
  TimerId timer_ = 0;
};

}  // namespace muster
