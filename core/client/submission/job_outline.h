// SPDX-License-Identifier: Apache-2.0
// The first job file for a program (muster init): guesses program, ranks and framework, and writes the file with comments.
#pragma once

#include <string>
#include <vector>

#include "core/client/caller_context.h"
#include "core/job/job_spec.h"

namespace muster {

struct JobOutline {
  std::vector<std::string> command;
  std::string workdir;        // the program's folder, relative to the file's folder; empty: the same folder
  std::string workers = "1";  // as in the job file: N or auto
  std::string nodes;          // empty: one
  std::string framework = "plain";
  // Reason for this framework: "train.py imports torch.distributed". Empty: the user chose it, or nothing was found.
  std::string why;
  std::string needs = "-r, requirements.txt";  // arguments of pip install, as elements of a YAML list
};

// Programs in `folder`, the most likely first: train.py and similar names, other scripts, executables.
std::vector<std::string> programs_in(const std::string& folder);

// Guesses the framework from the program's imports, and the arguments of pip from the files in the current folder.
void guess_outline(JobOutline& outline, const CallerContext& caller);

// The text of the job file. The lines with `#` in its lower half are suggestions; the file is also valid without the
// `#`. `schema`: path of the schema for editors; empty: no line for editors.
std::string outline_text(const JobOutline& outline, const std::string& file, const std::string& schema);

}  // namespace muster
