// SPDX-License-Identifier: Apache-2.0
// The help page of one command, at most 80 columns wide.
#pragma once

#include <string>

#include "launcher/cli/command_facts.h"

namespace muster {

std::string help_text(const CommandFacts& command);

}  // namespace muster
