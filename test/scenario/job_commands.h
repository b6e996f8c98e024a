// SPDX-License-Identifier: Apache-2.0
// Parses the rules of a job from the scenario's first command.
#pragma once

#include "core/machine/job/state.h"
#include "test/scenario/command.h"

namespace muster::scenario {

// job nodes=2 ranks-per-node=2 [groups=all,any,ignore: nodes are assigned to them in order] [limit=3]
// [backoff=0s,1s..60s] [grace=2s] [never_on=exit:2,SIGBUS,oom] [always_on=…] [queue=D] [start=D] [run=D] [stop=D]
// [seed=N] Nodes are node-a, node-b …; ranks are numbered across them.
job::Rules parse_rules(const Command& command);

job::HangKind parse_hang(const std::string& name);
job::Timer parse_timer(const std::string& name);

}  // namespace muster::scenario
