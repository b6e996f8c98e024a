// control.proto's calls in front of a ControlService. Internal to adapter/grpc.
#pragma once

#include "core/port/control.h"
#include "core/wire/live_calls.h"
#include "proto/control.grpc.pb.h"

namespace muster {

// Serves every method from here on. All three must live until the gRPC server has ended. Loop thread.
void serve_control(LiveCalls& calls, wire::Control::AsyncService& service, ControlService& control);

}  // namespace muster
