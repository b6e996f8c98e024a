// SPDX-License-Identifier: Apache-2.0
// The time that an agent without a coordinator and without ranks waits for a coordinator before it exits.
#pragma once

#include <optional>

#include "core/port/agent_messages.h"

namespace muster {

// `bind`: empty if the agent has no job yet. `pod`: the agent runs in a pod.
Duration alone_patience(const std::optional<Bind>& bind, bool pod);

}  // namespace muster
