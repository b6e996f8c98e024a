// The help of one command, in 80 columns.
#pragma once

#include <string>

#include "launcher/cli/command_facts.h"

namespace muster {

std::string help_text(const CommandFacts& command);

}  // namespace muster
