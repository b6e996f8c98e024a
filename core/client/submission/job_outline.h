// The first job file of a program: which program, how many ranks, which framework; and the file itself, with comments.
#pragma once

#include <string>
#include <vector>

#include "core/client/caller_context.h"
#include "core/job/job_spec.h"

namespace muster {

struct JobOutline {
  std::vector<std::string> command;
  std::string workdir;        // from the file's folder to the program's; empty: it lies there
  std::string workers = "1";  // as the job file has it: N or auto
  std::string nodes;          // empty: one
  std::string framework = "plain";
  std::string
      why;  // this framework: "train.py imports torch.distributed"; empty: the user said so, or nothing was found
  std::string needs = "-r, requirements.txt";  // what pip would install, as words of a YAML list
};

// Programs in `folder` that look as if somebody wants to run them, the likeliest first: train.py and its like, other
// scripts, executables.
std::vector<std::string> programs_in(const std::string& folder);

// What the program's text tells of its framework.
void guess_outline(JobOutline& outline, const std::string& folder);

// The job file. Everything behind a `#` of its lower half is a suggestion, and a job file too without the `#`.
// `schema` is where an editor finds the schema; empty: no line for editors.
std::string outline_text(const JobOutline& outline, const std::string& file, const std::string& schema);

}  // namespace muster
