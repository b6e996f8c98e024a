// What variables tell a controller, for who becomes one and for who says beforehand whether it can.
#pragma once

#include "core/base/result.h"
#include "core/base/time.h"
#include "core/client/caller_context.h"
#include "core/controller/retention.h"

namespace muster {

struct ControllerSettings {
  // MUSTER_IDLE: how long to stay without work; 0: for ever.
  Duration idle = std::chrono::minutes(1);
  Duration idle_with_warm_agents = std::chrono::minutes(10);
  // MUSTER_KEEP_AGE, MUSTER_KEEP_SIZE: which ended jobs are kept.
  Retention retention;
};

// invalid_argument: "MUSTER_IDLE: …", by the variable that cannot be read.
Result<ControllerSettings> controller_settings(const CallerContext& caller);

}  // namespace muster
