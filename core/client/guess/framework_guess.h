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
  Framework framework = Framework::any;
  std::string why;  // "train.py imports accelerate"; empty: nothing was found
};

// The folders in which the program of a command is searched.
struct GuessPlace {
  std::string workdir;      // absolute
  std::string path;         // PATH of the command
  std::string python_path;  // PYTHONPATH of the command
};

// Finds a program that is linked to an MPI library, or the Python program that a command starts, also behind wrappers (`env`, `nice`, a profiler), in shell scripts, in
// `bash -c` and as an entry point of an installed package. Reads it and the files that it imports from its own folder
// and `workdir`: at most 16 files, 1 MiB of each. Returns the first result of imported_framework().
FrameworkGuess guess_framework(const std::vector<std::string>& command, const GuessPlace& place);

// The framework that a file imports; the most specific wins: DeepSpeed, Lightning, Accelerate or Transformers,
// mpi4py, torch.distributed. Also torch if the file reads RANK, LOCAL_RANK or WORLD_SIZE.
FrameworkGuess imported_framework(const std::string& script, const std::string& text);

}  // namespace muster
