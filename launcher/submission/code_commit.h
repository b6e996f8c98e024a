// Which code a job ran, for its record: HEAD of the git repository around its folder, "+dirty" behind it when tracked files
// were changed. Never a reason to refuse a job.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "launcher/run_program.h"

namespace muster {

// Looked for by hand before git is asked: most folders are in no repository, and starting git costs milliseconds.
bool in_repository(const std::string& folder);

// What git is asked in `folder`, "git" first, and what its answer comes to; empty: there is no commit yet.
std::vector<std::string> commit_question(const std::string& folder);
std::string commit_in(const std::string& answer);

// Asked by a command itself, which leaves no sooner than git has answered: what is changed behind it is not the job's.
class CodeCommit {
 public:
  // git is asked from here on, while other things are done.
  CodeCommit(const std::string& workdir, const std::map<std::string, std::string>& environment);

  // Once. Empty: no repository, no git, or no answer within 2 s.
  std::string text();

 private:
  HelperProgram program(std::vector<std::string> words) const;

  const std::string workdir_;
  const std::map<std::string, std::string> environment_;
  std::unique_ptr<StartedProgram> status_;  // null: there is none to ask
};

}  // namespace muster
