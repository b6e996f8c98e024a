// SPDX-License-Identifier: Apache-2.0
// Connects a front end to the user's controller and starts one if none runs. Blocks; loop thread only.
#pragma once

#include <memory>
#include <string>

#include "core/base/result.h"
#include "core/port/control.h"

namespace muster {

class FdLoop;  // core/system/asio
struct CallerContext;

// Connects to the user's controller. With `start`, starts a controller if none runs, and the returned client connects
// to the next controller by itself if this one exits; `caller` and `loop` must outlive it. unavailable: there is no
// controller and none could be started; the message says why.
Result<std::unique_ptr<ControlClient>> connect_controller(const CallerContext& caller, FdLoop& loop, bool start);

// Connects to the command on this machine that itself hosts `job` (run --standalone, torchrun). Null: no such command.
std::unique_ptr<ControlClient> connect_host_of(const CallerContext& caller, FdLoop& loop, const std::string& job);

}  // namespace muster
