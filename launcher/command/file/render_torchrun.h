// SPDX-License-Identifier: Apache-2.0
// `muster render [-o FORMAT] torchrun …`: shows how muster reads a torchrun command line, and the plan. Starts nothing. All flags
// after the word torchrun belong to torchrun.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "launcher/cli/command.h"

namespace muster {

struct TorchrunWords {
  std::string format = "text";
  std::vector<std::string> arguments;  // after the word torchrun
};

// nullopt if this is not `render torchrun`. A job file called torchrun is written as `./torchrun`.
std::optional<TorchrunWords> torchrun_words(const std::vector<std::string>& arguments);

// json: {"schema":…,"flags":{…}} and either "plan", or "error" if the flags are not valid. The exit code is 2 for an error.
int render_torchrun(CommandContext& context, const TorchrunWords& words);

}  // namespace muster
