// SPDX-License-Identifier: Apache-2.0
// The git commit of a job's code, for the job's record.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "core/client/run_program.h"

namespace muster {

// The constructor starts git; it runs in the background until text() is called.
class CodeCommit {
 public:
  CodeCommit(const std::string& workdir, const std::map<std::string, std::string>& environment);

  // Call once. HEAD of the git repository that contains `workdir`, followed by "+dirty" if tracked files were changed.
  // Empty: no repository, no git, or no answer within 2 s. Never a reason to refuse a job.
  std::string text();

  // Readable when text() will not block for long. -1: text() does not block at all.
  int fd() const { return status_ ? status_->fd() : -1; }

 private:
  HelperProgram program(std::vector<std::string> words) const;

  const std::string workdir_;
  const std::map<std::string, std::string> environment_;
  std::unique_ptr<StartedProgram> status_;  // null: no repository, or git could not be started
};

}  // namespace muster
