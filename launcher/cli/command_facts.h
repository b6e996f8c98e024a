// CommandFacts: what a command takes, as values.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace muster {

// For help, completion, man pages and the tests that hold for every command.
struct CommandFacts {
  struct Flag {
    std::string names;  // "-f,--follow"
    std::string placeholder;
    std::string help;
    std::vector<std::string> choices;
    bool repeats = false;
  };
  // A first word of which a command has a few: `config explain KEY`.
  struct Verb {
    std::string name;
    std::string words;  // what follows it, as usage shows it
    std::string help;
    std::string noun;  // what follows it, as messages call it; empty: nothing does
  };
  std::string usage;
  std::string summary;
  std::string example;
  std::string note;
  std::string noun;
  size_t most_words = 0;
  bool takes_program = false;  // behind `--`
  std::vector<Verb> verbs;
  std::vector<Flag> flags;
};

}  // namespace muster
