// SPDX-License-Identifier: Apache-2.0
// Reports what a command did to each of several jobs: a line per job, or one document at the end.
#pragma once

#include <string>
#include <vector>

#include "core/port/control_messages.h"
#include "launcher/cli/command.h"

namespace muster {

class Acts {
 public:
  // `format`: text, wide, name, json or yaml.
  Acts(CommandContext& context, std::string format) : context_(context), format_(std::move(format)) {}

  // `word`: "stopping", for JSON; `sentence`: the line for people, printed to stderr as it is.
  void did(const JobView& job, const std::string& word, const std::string& sentence);
  // `what`: the job as the user typed it.
  void failed(const std::string& what, const Status& status);
  // Prints the document, if the format is one. Returns the exit code of the first failure.
  int finish();

 private:
  struct Act {
    std::string job;
    std::string id;
    std::string word;
    std::string error;
  };
  CommandContext& context_;
  const std::string format_;
  std::vector<Act> acts_;
  int exit_code_ = exit_ok;
};

}  // namespace muster
