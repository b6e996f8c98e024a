// Which framework a command speaks when nobody said so.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/model/job_spec.h"

namespace muster {

// The script an interpreter of Python is told to run; nothing for other programs, -m, -c and stdin.
std::optional<std::string> python_script(const std::vector<std::string>& command);

struct FrameworkGuess {
  Framework framework = Framework::plain;
  std::string sentence;  // "framework: torch (train.py uses torch.distributed)"; empty: nothing was found
};

// Looks for `torch.distributed` in the first group's script (its first MiB). A guess from the text: imports
// behind other files are not followed.
FrameworkGuess guess_framework(const JobSpec& spec, const std::string& workdir);

// The framework that a script's own imports speak of, the most particular first: DeepSpeed, Lightning, Accelerate or
// Transformers, torch.distributed. For a file that people read and change, where a guess may be bolder than for a run.
FrameworkGuess imported_framework(const std::string& script, const std::string& text);

}  // namespace muster
