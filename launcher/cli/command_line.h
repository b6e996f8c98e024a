// CommandLine: the flags and words of one command, its help, and the mending of typing mistakes. The only door
// to CLI11.
//
// Everything is read as text; what a text means is the command's business. Nothing is read from the environment.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace muster {

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
  CommandLine& words(std::string noun, size_t least, size_t most, std::vector<std::string>& target);
  // Everything behind the first `--`, untouched.
  CommandLine& rest(std::vector<std::string>& target);

  // What parsing came to. help: `text` is to be shown and the command is done. wrong: `text` is the error.
  struct Outcome {
    enum class Kind { proceed, help, wrong } kind = Kind::proceed;
    std::string text;
  };
  Outcome parse(const std::vector<std::string>& arguments);

  std::string help() const;

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
  Outcome wrong(const std::string& sentence) const;
  Outcome unknown_flag(const std::string& word) const;
  Outcome take_values(const Flag& flag, const std::vector<std::string>& given);
  Outcome take_words(const std::vector<std::string>& left);
  std::vector<std::string> long_names() const;

  std::string usage_;
  std::string summary_;
  std::string example_;
  std::vector<Flag> flags_;
  std::string noun_;
  size_t least_ = 0;
  size_t most_ = 0;
  std::vector<std::string>* words_ = nullptr;
  std::vector<std::string>* rest_ = nullptr;
};

// "4" → 4. `flag` names the place in the message: "-n wants a number, not `four`".
Result<uint64_t> parse_number(const std::string& flag, const std::string& text);

// "0,2,5-7" → {0,2,5,6,7}; at most 65,536 of them.
Result<std::vector<uint32_t>> parse_ranks(const std::string& flag, const std::string& text);

}  // namespace muster
