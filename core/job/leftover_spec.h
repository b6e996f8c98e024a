// SPDX-License-Identifier: Apache-2.0
// LeftoverSpec: how long leftovers may run. A leftover is a process that a rank started and that still runs after the main process
// of the rank has ended. A value.
#pragma once

#include <string_view>

#include "core/base/time.h"

namespace muster {

// How muster ends the leftovers of a rank that exited with code 0. wait: they may run until the grace is over, then they get
// SIGTERM, and SIGKILL 2 s later. stop: they get SIGTERM at once, and SIGKILL when the grace is over.
enum class LeftoverAction { wait, stop };
std::string_view to_string(LeftoverAction value);

struct LeftoverSpec {
  LeftoverAction action = LeftoverAction::wait;
  Duration grace = std::chrono::seconds(5);  // after the last rank of the node has ended; 0: SIGKILL at once
  bool operator==(const LeftoverSpec&) const = default;
};

}  // namespace muster
