// SPDX-License-Identifier: Apache-2.0
// Loop: the single thread that owns the state of a process, and its clock. Work runs in order, one item at a time, and must
// not block.
#pragma once

#include <cstdint>
#include <functional>

#include "core/base/time.h"

namespace muster {

using TimerId = uint64_t;  // 0: no timer

class Loop {
 public:
  virtual ~Loop() = default;

  // Constant within a turn; never decreases. Loop thread only.
  virtual TimePoint now() const = 0;

  // Runs `work` on the loop, in the order of posting. The only method that may be called from any thread.
  virtual void post(std::function<void()> work) = 0;

  // Runs `work` once at `when`, or in the next turn if that has passed. Loop thread only.
  virtual TimerId at(TimePoint when, std::function<void()> work) = 0;

  // The timer's work does not run after this. Unknown and fired timers are allowed. Loop thread only.
  virtual void cancel(TimerId timer) = 0;
};

}  // namespace muster
