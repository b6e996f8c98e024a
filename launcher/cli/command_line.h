// SPDX-License-Identifier: Apache-2.0
// CommandLine: parses the flags and words of one command, prints its help and suggests corrections.
//
// Flags follow POSIX and GNU conventions: -f, -fn4, -n 4, --tail 4, --tail=4, before or after words.
// All values are text; the command interprets them. Nothing is read from the environment.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/client/typed_words.h"
#include "launcher/cli/command_facts.h"

namespace muster {

// The flag that every command has; parse_or_exit() declares it.
constexpr const char* kColourFlag = "--color";

class CommandLine {
 public:
  // `usage` is the text after `muster`: "logs JOB [flags]". `summary` is one sentence; `example` is one or more
  // command lines.
  CommandLine(std::string usage, std::string summary, std::string example);

  // `names` as "-f,--follow". The targets must outlive parse(). They keep their value if the flag is not given.
  CommandLine& flag(const std::string& names, bool& target, const std::string& help);
  CommandLine& value(const std::string& names, const std::string& placeholder, std::optional<std::string>& target,
                     const std::string& help);
  // The flag may be repeated; each use adds one value.
  CommandLine& values(const std::string& names, const std::string& placeholder, std::vector<std::string>& target,
                      const std::string& help);
  // The value must be one of `choices`; otherwise parse() reports an error that lists them.
  CommandLine& choice(const std::string& names, std::vector<std::string> choices, std::string& target,
                      const std::string& help);
  // Between `least` and `most` words that are not flags; `noun` names them in messages ("a job").
  // `target` keeps its value if there are none.
  CommandLine& words(std::string noun, size_t least, size_t most, std::vector<std::string>& target);
  // The words may be missing if this flag is given.
  CommandLine& or_flag(const bool& target);
  // The first word must be one of these; otherwise parse() reports an error that lists them. `target` keeps its value if
  // there is no word. words() declares the words after it.
  CommandLine& verbs(std::vector<CommandFacts::Verb> verbs, std::string& target);
  // All words after the first `--`, unchanged. If the `--` is missing, the error message shows the line with it; `runnable`
  // turns the words into a command ("train.py" → "python train.py").
  using Words = std::vector<std::string>;
  CommandLine& rest(Words& target, std::function<Words(Words)> runnable = {});
  // As rest(), but the words before `--` are still required: "exec JOB -- PROGRAM".
  CommandLine& rest_behind_words(Words& target);

  // A paragraph below the flags. Repeated calls add paragraphs.
  CommandLine& note(std::string text);

  // The result of parsing. help: print `text` and exit. wrong: `text` is the error message, with the usage below it.
  struct Outcome {
    enum class Kind { proceed, help, wrong } kind = Kind::proceed;
    std::string text;
  };
  Outcome parse(const std::vector<std::string>& arguments);

  // "muster", the command, and the flags with their values from `arguments` before `--`, as the user typed them.
  Words flags_of(const std::vector<std::string>& arguments) const;

  std::string help() const;
  CommandFacts facts() const;

 private:
  struct Flag {
    std::string names;
    std::string placeholder;  // empty: takes no value
    std::string help;
    bool* set = nullptr;
    std::optional<std::string>* one = nullptr;
    std::vector<std::string>* many = nullptr;
    std::string* chosen = nullptr;
    std::vector<std::string> choices;
  };
  using Given = std::map<const Flag*, Words>;

  std::string scan(Given& given, Words& left) const;
  const Flag* find(const std::string& name) const;
  const Flag* own_flag(const std::string& word) const;
  Outcome wrong(const std::string& sentence) const;
  Outcome unknown_flag(const std::string& word) const;
  Outcome take_values(const Flag& flag, const std::vector<std::string>& given);
  Outcome take_words(const std::vector<std::string>& left);
  std::optional<Outcome> take_verb(Words& words);
  bool takes_next(const std::string& word) const;
  size_t first_word(const Words& typed) const;
  std::string with_dashes() const;
  std::vector<std::string> long_names() const;

  std::string usage_;
  std::string summary_;
  std::string example_;
  std::vector<Flag> flags_;
  Flag help_{.names = "-h,--help", .help = "show this help"};
  std::string note_;
  std::string noun_;
  size_t least_ = 0;
  size_t most_ = 0;
  std::vector<std::string>* words_ = nullptr;
  const bool* instead_ = nullptr;  // a flag that replaces the words
  std::vector<CommandFacts::Verb> verbs_;
  std::string* verb_ = nullptr;
  Words* rest_ = nullptr;
  bool rest_replaces_words_ = true;
  std::function<Words(Words)> runnable_;
  Words typed_;  // before `--`
};

}  // namespace muster
