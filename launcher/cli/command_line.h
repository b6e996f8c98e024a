// CommandLine: the flags and words of one command, its help, and suggestions for typing mistakes.
//
// Flags are typed as POSIX and GNU programs have them: -f, -fn4, -n 4, --tail 4, --tail=4, before or behind words.
// Everything is read as text; what a text means is the command's business. Nothing is read from the environment.
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

// What every command takes, declared where all of them are parsed.
constexpr const char* kColourFlag = "--color";

class CommandLine {
 public:
  // `usage` is what follows `muster`: "logs JOB [flags]". `summary` is one sentence, `example` one or more
  // command lines.
  CommandLine(std::string usage, std::string summary, std::string example);

  // `names` as "-f,--follow". The targets must outlive parse() and keep their value when the flag is not given.
  CommandLine& flag(const std::string& names, bool& target, const std::string& help);
  CommandLine& value(const std::string& names, const std::string& placeholder, std::optional<std::string>& target,
                     const std::string& help);
  // May be given more than once; one value each time.
  CommandLine& values(const std::string& names, const std::string& placeholder, std::vector<std::string>& target,
                      const std::string& help);
  // One of `choices`; else a usage error that names them.
  CommandLine& choice(const std::string& names, std::vector<std::string> choices, std::string& target,
                      const std::string& help);
  // Words without a flag, between `least` and `most` of them; `noun` names them in messages ("a job").
  // `target` keeps its value where there is none.
  CommandLine& words(std::string noun, size_t least, size_t most, std::vector<std::string>& target);
  // The first word is one of these, else a usage error that names them; `target` keeps its value where there is no word.
  // words() says what follows.
  CommandLine& verbs(std::vector<CommandFacts::Verb> verbs, std::string& target);
  // Everything behind the first `--`, untouched. Who forgets the `--` is shown the line with it; `runnable` makes of
  // those words what can be run ("train.py" → "python train.py").
  using Words = std::vector<std::string>;
  CommandLine& rest(Words& target, std::function<Words(Words)> runnable = {});
  // The same where the words in front are wanted all the same: "exec JOB -- PROGRAM".
  CommandLine& rest_behind_words(Words& target);

  // A paragraph below the flags.
  CommandLine& note(std::string text);

  // What parsing came to. help: `text` is to be shown and the command is done. wrong: `text` is the error's sentence,
  // with the usage below it.
  struct Outcome {
    enum class Kind { proceed, help, wrong } kind = Kind::proceed;
    std::string text;
  };
  Outcome parse(const std::vector<std::string>& arguments);

  // `arguments` in front of `--` without their words: muster, the command, flags and their values, as they were typed.
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
  Flag help_{.names = "-h,--help", .help = "this text"};
  std::string note_;
  std::string noun_;
  size_t least_ = 0;
  size_t most_ = 0;
  std::vector<std::string>* words_ = nullptr;
  std::vector<CommandFacts::Verb> verbs_;
  std::string* verb_ = nullptr;
  Words* rest_ = nullptr;
  bool rest_replaces_words_ = true;
  std::function<Words(Words)> runnable_;
  Words typed_;  // in front of `--`
};

}  // namespace muster
