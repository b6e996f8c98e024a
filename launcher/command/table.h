// SPDX-License-Identifier: Apache-2.0
// The table of commands, and the main functions of those about the program itself.
#pragma once

#include <string>
#include <vector>

#include "launcher/cli/command.h"

namespace muster {

// In the order of `muster help`.
const std::vector<Command>& all_commands();

int serve_command(CommandContext& context, const std::vector<std::string>& arguments);
int agent_command(CommandContext& context, const std::vector<std::string>& arguments);
int relay_command(CommandContext& context, const std::vector<std::string>& arguments);
int completion_main(CommandContext& context, const std::vector<std::string>& arguments);
int version_main(CommandContext& context, const std::vector<std::string>& arguments);
int help_main(CommandContext& context, const std::vector<std::string>& arguments);
// Not in the table: `muster pod` (pod/pod.h), and `muster __complete` for completion scripts (completion/shell_scripts.h).
int pod_main(CommandContext& context, const std::vector<std::string>& arguments);
// Likewise `muster pmix`, which agents start.
int pmix_main(CommandContext& context, const std::vector<std::string>& arguments);
int complete_main(CommandContext& context, const std::vector<std::string>& arguments);

}  // namespace muster
