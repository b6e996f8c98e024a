// SPDX-License-Identifier: Apache-2.0
// The commands about job files and configuration. Each returns the exit code.
#pragma once

#include <string>
#include <vector>

#include "launcher/cli/command.h"

namespace muster {

int render_main(CommandContext& context, const std::vector<std::string>& arguments);
int validate_main(CommandContext& context, const std::vector<std::string>& arguments);
int frameworks_main(CommandContext& context, const std::vector<std::string>& arguments);
int explain_main(CommandContext& context, const std::vector<std::string>& arguments);
int schema_main(CommandContext& context, const std::vector<std::string>& arguments);
int config_main(CommandContext& context, const std::vector<std::string>& arguments);
int runtimes_main(CommandContext& context, const std::vector<std::string>& arguments);
int init_main(CommandContext& context, const std::vector<std::string>& arguments);
int convert_main(CommandContext& context, const std::vector<std::string>& arguments);
int apply_main(CommandContext& context, const std::vector<std::string>& arguments);
int diff_main(CommandContext& context, const std::vector<std::string>& arguments);

}  // namespace muster
