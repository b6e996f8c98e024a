// SPDX-License-Identifier: Apache-2.0
// The flags of run, submit and render that describe a job. Each mirrors a key of the job file and is parsed by the same
// table (core/job), so that values, hints and error codes are the same. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/job/file/job_yaml.h"

namespace muster {

struct JobFlags {
  JobFlags();

  // A flag with one value, and the key it stands for.
  struct Mirror {
    std::string names;
    std::string key;
    std::string variable;  // environment variable, read if the flag is not given; not passed to ranks
    std::string placeholder;
    std::string help;
    std::optional<std::string> value;
  };
  std::vector<Mirror> mirrors;
  bool hold = false;              // submit --hold
  bool cluster_runtimes = false;  // TrainJobs use the runtimes of a cluster
  std::optional<std::string> hostfile;
  std::optional<std::string> space;  // --namespace, for commands that do not connect to a cluster
  std::vector<std::string> env;      // K=V, or K: copied from the shell
  std::vector<std::string> labels;   // K=V
  std::vector<std::string> set;      // key=value
  std::vector<std::string> typed;    // the command and all flags as they were typed: muster run -n 4
};

// Replaces keys in the advice of `message` (after the last semicolon) by the flags that set them: "lower nodes or -n".
// Only keys for the size of a job, such as `nodes` and `workers`.
std::string in_typed_words(const std::string& message, const JobFlags& flags);

// The names K in `-e K` that are not set in the shell.
std::vector<std::string> absent_variables(const JobFlags& flags, const std::map<std::string, std::string>& environment);

// Removes the variables that stand for flags: they apply to this job, not to jobs that its ranks submit.
void erase_flag_variables(std::map<std::string, std::string>& environment);

// Weakest first: environment variables, then flags, then --set. invalid_argument: a pair without `=`. An `-e K` that is
// not set in the shell is left out, as in docker.
Result<std::vector<Override>> overrides_of(const JobFlags& flags,
                                           const std::map<std::string, std::string>& environment);

}  // namespace muster
