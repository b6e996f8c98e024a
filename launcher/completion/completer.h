// SPDX-License-Identifier: Apache-2.0
// Completes a command line of muster, for the shell scripts of shell_scripts.h. It uses the table of commands and their
// declarations, so new commands and flags need no code here. Pure.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "launcher/cli/command_line.h"

namespace muster {

struct Candidate {
  std::string value;
  std::string help;  // short description; may be empty
  bool operator==(const Candidate&) const = default;
};

// Candidates that the shell adds by itself.
enum class ShellPart { nothing, files, folders, program };

struct Completion {
  std::vector<Candidate> candidates;
  ShellPart part = ShellPart::nothing;
  size_t program_at = 0;  // for ShellPart::program: index of its first word, counted from the first word after `muster`
};

// The jobs of the user that a command accepts.
enum class JobChoice { all, live, queued, ended };

struct JobShape {
  std::vector<uint32_t> ranks;  // rank numbers within their groups, without duplicates
  std::vector<std::string> groups;
};

// Sources of words that are not static. Each is called only if its words are possible, and returns nothing on an error.
struct LiveWords {
  std::function<std::vector<Candidate>(JobChoice)> jobs;
  std::function<JobShape(const std::string& job)> shape;
  std::function<std::vector<Candidate>()> runtimes;
  std::function<std::vector<Candidate>()> codes;
  std::function<std::vector<std::string>()> variables;
};

struct KnownCommand {
  std::string name;
  std::string summary;
  std::function<CommandFacts()> facts;
};

// `words`: the words after `muster`. The last one, which may be empty, is completed.
Completion complete(const std::vector<std::string>& words, const std::vector<KnownCommand>& commands,
                    const LiveWords& live);

}  // namespace muster
