// Which code a job ran, for its record.
#pragma once

#include <map>
#include <string>

namespace muster {

// HEAD of the git repository around `workdir`, with "+dirty" behind it when tracked files were changed. Empty:
// no repository, no git, or no answer within 2 s; never a reason to refuse a job.
std::string code_commit(const std::string& workdir, const std::map<std::string, std::string>& environment);

}  // namespace muster
