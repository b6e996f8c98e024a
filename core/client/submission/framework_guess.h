// SPDX-License-Identifier: Apache-2.0
// Guesses the framework of a command if the user did not name one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/job/job_spec.h"

namespace muster {

// The script in a Python command line. nullopt for other programs and for -m, -c and stdin.
std::optional<std::string> python_script(const std::vector<std::string>& command);

struct FrameworkGuess {
  Framework framework = Framework::plain;
  std::string why;  // "train.py imports accelerate"; empty: nothing was found
};

// Reads the script (or the module after -m) of a command that runs in `workdir`, and the files that it imports from its
// own folder and `workdir`: at most 16 files, 1 MiB of each. Returns the first result of imported_framework().
FrameworkGuess guess_framework(const std::vector<std::string>& command, const std::string& workdir);

// The framework that a file imports; the most specific wins: DeepSpeed, Lightning, Accelerate or Transformers,
// torch.distributed. Also torch if the file reads RANK, LOCAL_RANK or WORLD_SIZE.
FrameworkGuess imported_framework(const std::string& script, const std::string& text);

}  // namespace muster
