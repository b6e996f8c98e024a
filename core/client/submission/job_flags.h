// The flags of run, submit and render that say what a job is: each mirrors a key of the job file and is read by
// the same table (core/job), so that values, hints and codes are the same. Pure.
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
    std::string variable;  // of the environment, read where the flag is not given; none that a rank is told
    std::string placeholder;
    std::string help;
    std::optional<std::string> value;
  };
  std::vector<Mirror> mirrors;
  bool hold = false;  // submit --hold
  std::optional<std::string> hostfile;
  std::optional<std::string> space;  // --namespace, of those that ask no cluster
  std::vector<std::string> env;      // K=V, or K: copied from the shell
  std::vector<std::string> labels;   // K=V
  std::vector<std::string> set;      // key=value
  std::vector<std::string> typed;    // the command and all flags as they were typed: muster run -n 4
};

// `message` with the keys in its advice (behind the last semicolon) that make a job large named by the flags that set
// them: "lower nodes or -n".
std::string in_typed_words(const std::string& message, const JobFlags& flags);

// The -e K that the shell does not have.
std::vector<std::string> absent_variables(const JobFlags& flags, const std::map<std::string, std::string>& environment);

// Takes out the variables that stand for flags: they are about this job, not about one that a rank of it submits.
void erase_flag_variables(std::map<std::string, std::string>& environment);

// In the order flags win: variables of the environment first, then flags, then --set. invalid_argument on a
// pair without `=`; an -e K that the shell does not have is left out, as in docker.
Result<std::vector<Override>> overrides_of(const JobFlags& flags,
                                           const std::map<std::string, std::string>& environment);

}  // namespace muster
