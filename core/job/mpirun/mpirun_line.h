// SPDX-License-Identifier: Apache-2.0
// Parses a command line of mpirun or mpiexec: words → MpirunFlags. Accepts the flags of Open MPI 4 and 5 and of Hydra (MPICH, Intel MPI).
// Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/job/diagnostic.h"
#include "core/job/mpirun/mpirun_flags.h"

namespace muster {

struct MpirunLine {
  MpirunFlags flags;                  // usable if there is no problem
  std::optional<Diagnostic> problem;  // the first one; its place is the command line, or a line of an appfile
  size_t problem_word = 0;            // index of the word that causes it; the number of words if one is missing
};

// The words after `mpirun`. Flags end at the first word that is not one: the program. `:` separates programs.
MpirunLine parse_mpirun(const std::vector<std::string>& words);

// Replaces the programs of `flags` by those of an appfile: each line is [flags] PROGRAM [arguments], # begins a comment. Words are
// separated by blanks, and quotes keep blanks. As with mpirun, programs of the command line are ignored.
MpirunLine with_appfile(MpirunFlags flags, const std::string& text, const std::string& file);

// The problem of a command line that `flag` (empty: none) causes.
Diagnostic mpirun_problem(const char* code, const std::string& flag, std::string message, std::string help);
// The same of the whole line; the advice follows the last semicolon of the message.
Diagnostic mpirun_problem(const char* code, const Status& why);

}  // namespace muster
