// How a front end reaches the user's controller, starting one when there is none. Blocks; loop thread only.
#pragma once

#include <memory>
#include <string>

#include "core/base/result.h"
#include "core/port/control.h"

namespace muster {

class FdLoop;  // core/system/asio
struct CallerContext;

// Connects to the user's controller, starting it when absent and `start`. Fails with unavailable when there is none and
// none could be started; the sentence says why. With `start` the client finds the next controller by itself when one
// leaves; `caller` and `loop` outlive it.
Result<std::unique_ptr<ControlClient>> connect_controller(const CallerContext& caller, FdLoop& loop, bool start);

// Who hosts a job that runs inside its own command (run --standalone, torchrun) on this machine; null: no such command.
std::unique_ptr<ControlClient> connect_host_of(const CallerContext& caller, FdLoop& loop, const std::string& job);

}  // namespace muster
