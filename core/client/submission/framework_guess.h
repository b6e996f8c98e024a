// Which framework a command speaks when nobody said so.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/job/job_spec.h"

namespace muster {

// The script an interpreter of Python is told to run; nothing for other programs, -m, -c and stdin.
std::optional<std::string> python_script(const std::vector<std::string>& command);

struct FrameworkGuess {
  Framework framework = Framework::plain;
  std::string why;  // "train.py imports accelerate"; empty: nothing was found
};

// Looks into the script (or the module after -m) of a command that runs in `workdir`, and into the files beside it that it imports, at
// most 16, a MiB of each: by imported_framework() of the first that tells.
FrameworkGuess guess_framework(const std::vector<std::string>& command, const std::string& workdir);

// What a file's own imports speak of, the most particular first: DeepSpeed, Lightning, Accelerate or Transformers, torch.distributed;
// else torch, where it reads RANK, LOCAL_RANK or WORLD_SIZE.
FrameworkGuess imported_framework(const std::string& script, const std::string& text);

}  // namespace muster
