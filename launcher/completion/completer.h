// What may stand where somebody types: for shells that complete `muster …` (shell_scripts.h). It follows the table of
// commands and what each says of itself, so that a new command or flag is completed without a word here. Pure.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "launcher/cli/command_line.h"

namespace muster {

struct Candidate {
  std::string value;
  std::string help;  // a few words beside it; may be empty
  bool operator==(const Candidate&) const = default;
};

// What the shell itself completes beside the candidates.
enum class ShellPart { nothing, files, folders, program };

struct Completion {
  std::vector<Candidate> candidates;
  ShellPart part = ShellPart::nothing;
  size_t program_at = 0;  // with `program`: which word it begins at, counted from the first behind `muster`
};

// Which of a user's jobs make sense as a word of a command.
enum class JobChoice { all, live, queued, ended };

struct JobShape {
  std::vector<uint32_t> ranks;  // numbers in their groups, each once
  std::vector<std::string> groups;
};

// Where live words come from. Each is asked only where its words may stand, and answers nothing when it cannot tell.
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

// `words` are those behind `muster`; the last one, maybe empty, is being typed.
Completion complete(const std::vector<std::string>& words, const std::vector<KnownCommand>& commands,
                    const LiveWords& live);

}  // namespace muster
