// Which code a job ran, for its record.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "core/client/run_program.h"

namespace muster {

// git is asked from here on, while other things are done.
class CodeCommit {
 public:
  CodeCommit(const std::string& workdir, const std::map<std::string, std::string>& environment);

  // Once. HEAD of the git repository around `workdir`, with "+dirty" behind it when tracked files were changed. Empty: no
  // repository, no git, or no answer within 2 s; never a reason to refuse a job.
  std::string text();

  // Readable once text() need not wait long; -1: it does not wait at all.
  int fd() const { return status_ ? status_->fd() : -1; }

 private:
  HelperProgram program(std::vector<std::string> words) const;

  const std::string workdir_;
  const std::map<std::string, std::string> environment_;
  std::unique_ptr<StartedProgram> status_;  // null: there is none to ask
};

}  // namespace muster
