// Rendezvous events from commands, and actions in words.
#pragma once

#include <string>

#include "core/machine/rendezvous/rendezvous.h"
#include "test/scenario/command.h"

namespace muster::scenario {

rendezvous::Limits parse_limits(const Command& command);
rendezvous::Begun parse_begin(const Command& command);
rendezvous::Ended parse_end(const Command& command);
// Attempt, channel and id are the caller's to fill where the command gives none.
rendezvous::Asked parse_ask(const Command& command, const rendezvous::Asked& defaults);

// "7" | "[a, b]" | "deadline_exceeded: barrier …"
std::string tell(const RendezvousAnswer& answer);

}  // namespace muster::scenario
