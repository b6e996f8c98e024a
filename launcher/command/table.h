// The table of commands, and the mains of those that are about the program itself.
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
// Not in the table: in pods (pod/pod.h), and what shells ask while somebody types (completion/shell_scripts.h).
int pod_main(CommandContext& context, const std::vector<std::string>& arguments);
int complete_main(CommandContext& context, const std::vector<std::string>& arguments);

}  // namespace muster
