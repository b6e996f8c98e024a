// SPDX-License-Identifier: Apache-2.0
// JobTimers: the timers that the job machine arms. Loop thread only.
#pragma once

#include <map>

#include "core/coordinator/coordinator_core.h"

namespace muster {

class JobTimers {
 public:
  explicit JobTimers(const JobContext& context) : context_(context) {}
  ~JobTimers();
  JobTimers(const JobTimers&) = delete;
  JobTimers& operator=(const JobTimers&) = delete;

  // Replaces an earlier timer of the same kind.
  void arm(const job::ArmTimer& action);
  void cancel(const job::CancelTimer& action);

 private:
  const JobContext context_;
  std::map<job::Timer, TimerId> timers_;
};

}  // namespace muster
