// GuestChannel: a viewer's way to its guest, or the controller's to that viewer. Ordered; handlers as Channel's. `on_closed` on the
// viewer's side: the controller went away before the guest's end was told.
#pragma once

#include "core/port/agent_channel.h"
#include "core/port/guest_messages.h"

namespace muster {

using GuestChannel = Channel<GuestFrame, GuestFrame>;

}  // namespace muster
