// SPDX-License-Identifier: Apache-2.0
// The commands about machines and hosts. Each returns the exit code.
#pragma once

#include <string>
#include <vector>

#include "launcher/cli/command.h"

namespace muster {

int doctor_main(CommandContext& context, const std::vector<std::string>& arguments);
int hosts_main(CommandContext& context, const std::vector<std::string>& arguments);
int reach_main(CommandContext& context, const std::vector<std::string>& arguments);
int facts_main(CommandContext& context, const std::vector<std::string>& arguments);
int unpack_main(CommandContext& context, const std::vector<std::string>& arguments);
int pack_main(CommandContext& context, const std::vector<std::string>& arguments);

}  // namespace muster
