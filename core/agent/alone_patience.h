// For how long an agent without a coordinator and without ranks waits for one before it leaves.
#pragma once

#include <optional>

#include "core/port/agent_messages.h"

namespace muster {

// `bind`: nothing, it has no job yet. `pod`: it runs in a pod, which nobody starts again for it.
Duration alone_patience(const std::optional<Bind>& bind, bool pod);

}  // namespace muster
