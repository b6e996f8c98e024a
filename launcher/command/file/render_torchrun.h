// `muster render [-o FORMAT] torchrun …`: what a torchrun command line says and what would run; nothing is started. No flag of
// torchrun's is taken for it, so every command line of torchrun's can be shown.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "launcher/cli/command.h"

namespace muster {

struct TorchrunWords {
  std::string format = "text";
  std::vector<std::string> arguments;  // behind the word torchrun
};

// Absent: another form of render; so is a job file called torchrun, as `./torchrun`.
std::optional<TorchrunWords> torchrun_words(const std::vector<std::string>& arguments);

// json: {"schema":…,"flags":{…}} with "error" where they make no job, else "plan"; the exit code is 2 with an error.
int render_torchrun(CommandContext& context, const TorchrunWords& words);

}  // namespace muster
