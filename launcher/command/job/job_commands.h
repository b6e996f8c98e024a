// SPDX-License-Identifier: Apache-2.0
// The commands about jobs. Each returns the exit code.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "launcher/cli/command.h"

namespace muster {

int run_main(CommandContext& context, const std::vector<std::string>& arguments);
int submit_main(CommandContext& context, const std::vector<std::string>& arguments);
int mpirun_main(CommandContext& context, const std::vector<std::string>& arguments);
int torchrun_main(CommandContext& context, const std::vector<std::string>& arguments);
// `python -m torch.distributed.run …`, as torchrun. nullopt: the words are something else.
std::optional<int> torchrun_module_main(CommandContext& context, const std::vector<std::string>& words);
int attach_main(CommandContext& context, const std::vector<std::string>& arguments);
int exec_main(CommandContext& context, const std::vector<std::string>& arguments);
int wait_main(CommandContext& context, const std::vector<std::string>& arguments);
int stop_main(CommandContext& context, const std::vector<std::string>& arguments);
int kill_main(CommandContext& context, const std::vector<std::string>& arguments);
int hold_main(CommandContext& context, const std::vector<std::string>& arguments);
int release_main(CommandContext& context, const std::vector<std::string>& arguments);
int move_main(CommandContext& context, const std::vector<std::string>& arguments);
int rm_main(CommandContext& context, const std::vector<std::string>& arguments);
int ps_main(CommandContext& context, const std::vector<std::string>& arguments);
int logs_main(CommandContext& context, const std::vector<std::string>& arguments);
int describe_main(CommandContext& context, const std::vector<std::string>& arguments);
int why_main(CommandContext& context, const std::vector<std::string>& arguments);
int top_main(CommandContext& context, const std::vector<std::string>& arguments);
int events_main(CommandContext& context, const std::vector<std::string>& arguments);
int fetch_main(CommandContext& context, const std::vector<std::string>& arguments);

}  // namespace muster
