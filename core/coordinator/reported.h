// SPDX-License-Identifier: Apache-2.0
// Converts an agent's report to an event of the job machine. Pure.
#pragma once

#include "core/machine/job/job.h"
#include "core/port/agent_messages.h"

namespace muster {

job::Reported reported(NodeIndex node, Incarnation incarnation, const Report& report);

}  // namespace muster
