// SPDX-License-Identifier: Apache-2.0
// Serves the calls of control.proto by a ControlService. Internal to core/wire.
#pragma once

#include "core/port/control.h"
#include "core/wire/live_calls.h"
#include "proto/control.grpc.pb.h"

namespace muster {

// Starts to serve every method. All three arguments must live until the gRPC server has ended. Loop thread.
void serve_control(LiveCalls& calls, wire::Control::AsyncService& service, ControlService& control);

}  // namespace muster
