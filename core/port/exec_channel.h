// ExecChannel: a viewer's way to its exec, or the controller's to that viewer. Ordered; handlers as Channel's. `on_closed` on the
// viewer's side: the controller went away before the exec's end was told.
#pragma once

#include "core/port/agent_channel.h"
#include "core/port/exec_messages.h"

namespace muster {

using ExecChannel = Channel<ExecFrame, ExecFrame>;

}  // namespace muster
