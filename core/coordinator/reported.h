// SPDX-License-Identifier: Apache-2.0
// Converts an agent's report to an event of the job machine. Pure.
#pragma once

#include "core/machine/job/job.h"
#include "core/port/agent_messages.h"

namespace muster {

// Without the exits that the state of the node's gang has and that cannot matter again: those of ranks that have succeeded, and
// all if the attempt is stopping. So the journal has each exit once, not once for each later report.
job::Reported reported(NodeIndex node, Incarnation incarnation, const Report& report, const job::State& gang);

}  // namespace muster
