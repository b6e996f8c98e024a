// SPDX-License-Identifier: Apache-2.0
// Parses rendezvous events from commands, and prints answers.
#pragma once

#include <string>

#include "core/machine/rendezvous/rendezvous.h"
#include "test/scenario/command.h"

namespace muster::scenario {

rendezvous::Limits parse_limits(const Command& command);
rendezvous::Begun parse_begin(const Command& command);
rendezvous::Ended parse_end(const Command& command);
// Attempt, channel and id come from `defaults` unless the command gives them.
rendezvous::Asked parse_ask(const Command& command, const rendezvous::Asked& defaults);

// "7" | "[a, b]" | "deadline_exceeded: barrier …"
std::string tell(const RendezvousAnswer& answer);

}  // namespace muster::scenario
