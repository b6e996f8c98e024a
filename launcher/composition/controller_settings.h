// SPDX-License-Identifier: Apache-2.0
// Settings of the controller from environment variables. Commands check them before they start a controller.
#pragma once

#include "core/base/result.h"
#include "core/base/time.h"
#include "core/client/caller_context.h"
#include "core/controller/retention.h"

namespace muster {

struct ControllerSettings {
  // MUSTER_IDLE: how long the controller runs without jobs; 0: for ever.
  Duration idle = std::chrono::minutes(1);
  Duration idle_with_warm_agents = std::chrono::minutes(10);
  // MUSTER_KEEP_AGE, MUSTER_KEEP_SIZE: the ended jobs that are kept.
  Retention retention;
};

// invalid_argument: a variable has a wrong value; the message begins with its name.
Result<ControllerSettings> controller_settings(const CallerContext& caller);

}  // namespace muster
