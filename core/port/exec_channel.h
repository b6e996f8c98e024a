// SPDX-License-Identifier: Apache-2.0
// ExecChannel: the channel between a viewer and the controller for one exec process. Ordered; handlers as in Channel. `on_closed`
// on the viewer's side: the controller went away before it sent ExecEnd.
#pragma once

#include "core/port/agent_channel.h"
#include "core/port/exec_messages.h"

namespace muster {

using ExecChannel = Channel<ExecFrame, ExecFrame>;

}  // namespace muster
