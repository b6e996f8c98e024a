// SPDX-License-Identifier: Apache-2.0
// CommandFacts: the flags, arguments and help texts of a command, as values.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace muster {

// Used by help, completion, manual pages and the tests of all commands.
struct CommandFacts {
  struct Flag {
    std::string names;  // "-f,--follow"
    std::string placeholder;
    std::string help;
    std::vector<std::string> choices;
    bool repeats = false;
  };
  // A subcommand: `explain` in `config explain KEY`.
  struct Verb {
    std::string name;
    std::string words;  // its arguments, as the usage line shows them
    std::string help;
    std::string noun;  // its arguments, as messages call them, separated by `;`; empty: none
  };
  std::string usage;
  std::string summary;
  std::string example;
  std::string note;
  std::string noun;
  size_t most_words = 0;
  bool takes_program = false;  // after `--`
  std::vector<Verb> verbs;
  std::vector<Flag> flags;
};

}  // namespace muster
