// SPDX-License-Identifier: Apache-2.0
#include "launcher/cli/command_line.h"

#include <algorithm>

#include "core/base/text.h"
#include "launcher/cli/foreign_words.h"
#include "launcher/cli/help_text.h"

namespace muster {

CommandLine::CommandLine(std::string usage, std::string summary, std::string example)
    : usage_(std::move(usage)),
      summary_(std::move(summary)),
      example_(std::move(example)) {}

CommandLine& CommandLine::flag(const std::string& names, bool& target, const std::string& help) {
  flags_.push_back({.names = names, .help = help, .set = &target});
  return *this;
}

CommandLine& CommandLine::value(const std::string& names, const std::string& placeholder,
                                std::optional<std::string>& target, const std::string& help) {
  flags_.push_back({.names = names, .placeholder = placeholder, .help = help, .one = &target});
  return *this;
}

CommandLine& CommandLine::values(const std::string& names, const std::string& placeholder,
                                 std::vector<std::string>& target, const std::string& help) {
  flags_.push_back({.names = names, .placeholder = placeholder, .help = help, .many = &target});
  return *this;
}

CommandLine& CommandLine::choice(const std::string& names, std::vector<std::string> choices, std::string& target,
                                 const std::string& help) {
  Flag flag{.names = names, .placeholder = join(choices, "|"), .help = help, .chosen = &target};
  flag.choices = std::move(choices);
  flags_.push_back(std::move(flag));
  return *this;
}

CommandLine& CommandLine::words(std::string noun, size_t least, size_t most, std::vector<std::string>& target) {
  noun_ = std::move(noun);
  least_ = least;
  most_ = most;
  words_ = &target;
  return *this;
}

CommandLine& CommandLine::or_flag(const bool& target) {
  instead_ = &target;
  return *this;
}

CommandLine& CommandLine::verbs(std::vector<CommandFacts::Verb> verbs, std::string& target) {
  verbs_ = std::move(verbs);
  verb_ = &target;
  return *this;
}

CommandLine& CommandLine::rest(Words& target, std::function<Words(Words)> runnable) {
  rest_ = &target;
  runnable_ = std::move(runnable);
  return *this;
}

CommandLine& CommandLine::rest_behind_words(Words& target) {
  rest_replaces_words_ = false;
  return rest(target);
}

CommandLine& CommandLine::note(std::string text) {
  note_ += (note_.empty() ? "" : "\n\n") + std::move(text);
  return *this;
}

namespace {

bool looks_like_flag(const std::string& word) { return word.size() > 1 && word[0] == '-'; }

std::optional<bool> truth_of(const std::string& text) {
  if (text == "true" || text == "yes" || text == "on" || text == "1") return true;
  if (text == "false" || text == "no" || text == "off" || text == "0") return false;
  return std::nullopt;
}

std::string name_of_flag(const std::string& word) { return word.substr(0, word.find('=')); }

// "-o,--output" → "--output".
std::string longest_name(const std::string& names) { return split(names, ',').back(); }

}  // namespace

CommandLine::Outcome CommandLine::parse(const std::vector<std::string>& arguments) {
  const auto dashes = rest_ == nullptr ? arguments.end() : std::find(arguments.begin(), arguments.end(), "--");
  if (dashes != arguments.end()) rest_->assign(dashes + 1, arguments.end());
  typed_.assign(arguments.begin(), dashes);
  Given given;
  Words left;
  if (const std::string problem = scan(given, left); !problem.empty()) return wrong(problem);
  if (given.count(&help_) > 0) return {Outcome::Kind::help, help()};
  for (const Flag& flag : flags_) {
    const auto values = given.find(&flag);
    if (values == given.end()) continue;
    if (const Outcome taken = take_values(flag, values->second); taken.kind != Outcome::Kind::proceed) return taken;
  }
  return take_words(left);
}

// Returns an error message, or an empty string. Unknown flags are added to `left` as the user typed them.
std::string CommandLine::scan(Given& given, Words& left) const {
  for (size_t at = 0; at < typed_.size();) {
    std::string rest = typed_[at++];
    if (rest == "--") {
      left.insert(left.end(), typed_.begin() + static_cast<std::ptrdiff_t>(at), typed_.end());
      return "";
    }
    if (!looks_like_flag(rest)) left.push_back(std::exchange(rest, ""));
    // "-fn4" is "-f" and "-n4".
    while (!rest.empty()) {
      const bool is_long = rest.starts_with("--");
      const std::string piece = std::exchange(rest, "");
      const std::string name = is_long ? name_of_flag(piece) : piece.substr(0, 2);
      const bool joined = piece.size() > name.size();
      const std::string value = joined ? piece.substr(name.size() + (is_long ? 1 : 0)) : "";
      const Flag* flag = find(name);
      if (flag == nullptr || own_flag(piece) != nullptr) {
        left.push_back(piece);
      } else if (flag->placeholder.empty()) {
        given[flag].push_back(is_long && joined ? value : "true");
        if (!is_long && joined) rest = "-" + value;
      } else {
        if (!joined && at == typed_.size()) return longest_name(flag->names) + " needs a value";
        given[flag].push_back(joined ? value : typed_[at++]);
      }
    }
  }
  return "";
}

const CommandLine::Flag* CommandLine::find(const std::string& name) const {
  const auto has_name = [&](const Flag& flag) {
    const Words names = split(flag.names, ',');
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (has_name(help_)) return &help_;
  const auto found = std::find_if(flags_.begin(), flags_.end(), has_name);
  return found == flags_.end() ? nullptr : &*found;
}

// The flag that stands for a flag of another tool; null: there is none. "-np" is not "-n p".
const CommandLine::Flag* CommandLine::own_flag(const std::string& word) const {
  const std::string_view name = own_flag_for(name_of_flag(word));
  return name.empty() ? nullptr : find(std::string(name));
}

CommandLine::Outcome CommandLine::take_values(const Flag& flag, const std::vector<std::string>& given) {
  const std::string& last = given.back();
  if (flag.set != nullptr) {
    const auto truth = truth_of(last);
    if (!truth) return wrong(longest_name(flag.names) + " takes no value, but it was given `" + last + "`");
    *flag.set = *truth;
  }
  if (flag.one != nullptr) *flag.one = last;
  if (flag.many != nullptr) *flag.many = given;
  if (flag.chosen == nullptr) return {};
  *flag.chosen = last;
  if (std::find(flag.choices.begin(), flag.choices.end(), last) != flag.choices.end()) return {};
  const auto near = nearest(last, flag.choices);
  return wrong(longest_name(flag.names) + " must be one of " + join(flag.choices, ", ") + ", not `" + last + "`" +
               (near ? "; did you mean `" + *near + "`?" : ""));
}

CommandLine::Outcome CommandLine::take_words(const std::vector<std::string>& left) {
  std::vector<std::string> words;
  for (const std::string& word : left) {
    if (word == "--") continue;
    if (looks_like_flag(word)) return unknown_flag(name_of_flag(word));
    words.push_back(word);
  }
  if (verb_ != nullptr) {
    if (const auto strange = take_verb(words)) return *strange;
  }
  const bool flagged = instead_ != nullptr && *instead_;
  const bool replaced = flagged || (rest_ != nullptr && !rest_->empty() && rest_replaces_words_);
  const bool missing = words.size() < least_ && !replaced;
  if (missing) return wrong("muster " + split(usage_, ' ').front() + " needs " + noun_);
  if (words.size() > most_) {
    const std::string program = with_dashes();
    return wrong(program.empty() ? "unexpected argument `" + words[most_] + "`"
                                 : "put `--` before the program: " + program);
  }
  if (words_ != nullptr && !words.empty()) *words_ = std::move(words);
  return {};
}

std::optional<CommandLine::Outcome> CommandLine::take_verb(Words& words) {
  if (words.empty()) return std::nullopt;
  std::vector<std::string> names;
  for (const CommandFacts::Verb& verb : verbs_) names.push_back(verb.name);
  if (std::find(names.begin(), names.end(), words.front()) != names.end()) {
    *verb_ = words.front();
    words.erase(words.begin());
    return std::nullopt;
  }
  const auto near = nearest(words.front(), names);
  return wrong("muster " + split(usage_, ' ').front() + " has no subcommand `" + words.front() + "`; it has " +
               join(names, ", ") + (near ? "; did you mean `" + *near + "`?" : ""));
}

CommandLine::Outcome CommandLine::wrong(const std::string& sentence) const {
  return {Outcome::Kind::wrong,
          sentence + "\nusage: muster " + usage_ + "   more: muster " + split(usage_, ' ').front() + " --help"};
}

CommandLine::Outcome CommandLine::unknown_flag(const std::string& word) const {
  const std::string sentence = "unknown flag `" + word + "`";
  const std::string program = with_dashes();
  const size_t place =
      static_cast<size_t>(std::find_if(typed_.begin(), typed_.end(),
                                       [&](const std::string& typed) { return name_of_flag(typed) == word; }) -
                          typed_.begin());
  const Flag* ours = own_flag(word);
  if (ours != nullptr && (program.empty() || place <= first_word(typed_)))
    return wrong(sentence + "; use " + join(split(ours->names, ','), " or ") + ": " + ours->help);
  const std::string way(rest_ == nullptr ? "" : other_way_for(word));
  if (!way.empty() && (program.empty() || place <= first_word(typed_))) return wrong(sentence + "; " + way);
  if (const auto near = nearest(word, long_names())) return wrong(sentence + "; did you mean `" + *near + "`?");
  if (!program.empty() && first_word(typed_) < place) {
    return wrong(sentence + "; put the flags of your program after `--`: " + program);
  }
  return wrong(rest_ == nullptr ? sentence : sentence + "; put the flags of your program after `--`");
}

bool CommandLine::takes_next(const std::string& word) const {
  const Flag* flag = find(word);
  return word == kColourFlag || (flag != nullptr && !flag->placeholder.empty());
}

size_t CommandLine::first_word(const Words& typed) const {
  size_t at = 0;
  while (at < typed.size() && looks_like_flag(typed[at])) at += takes_next(typed[at]) ? 2 : 1;
  return std::min(at, typed.size());
}

// The command line with `--` inserted before the program. Empty if there is no program, or if it already has a `--`.
std::string CommandLine::with_dashes() const {
  const size_t first = first_word(typed_) + (rest_replaces_words_ ? 0 : most_);
  if (rest_ == nullptr || !rest_->empty() || first >= typed_.size()) return "";
  Words program(typed_.begin() + static_cast<std::ptrdiff_t>(first), typed_.end());
  if (runnable_) program = runnable_(std::move(program));
  if (program.empty()) return "";
  Words line{"muster", split(usage_, ' ').front()};
  line.insert(line.end(), typed_.begin(), typed_.begin() + static_cast<std::ptrdiff_t>(first));
  line.push_back("--");
  line.insert(line.end(), program.begin(), program.end());
  return shell_line(line);
}

CommandLine::Words CommandLine::flags_of(const std::vector<std::string>& arguments) const {
  Words flags{"muster", split(usage_, ' ').front()};
  for (size_t at = 0; at < arguments.size() && arguments[at] != "--"; ++at) {
    if (!looks_like_flag(arguments[at])) continue;
    flags.push_back(arguments[at]);
    if (takes_next(arguments[at]) && at + 1 < arguments.size()) flags.push_back(arguments[++at]);
  }
  return flags;
}

std::vector<std::string> CommandLine::long_names() const {
  std::vector<std::string> names{"--help"};
  for (const Flag& flag : flags_) {
    for (const std::string& name : split(flag.names, ',')) {
      if (name.starts_with("--")) names.push_back(name);
    }
  }
  return names;
}

std::string CommandLine::help() const { return help_text(facts()); }

CommandFacts CommandLine::facts() const {
  CommandFacts facts{.usage = usage_,
                     .summary = summary_,
                     .example = example_,
                     .note = note_,
                     .noun = noun_,
                     .most_words = most_,
                     .takes_program = rest_ != nullptr,
                     .verbs = verbs_};
  for (const Flag& flag : flags_) {
    const bool repeats = flag.many != nullptr;
    facts.flags.push_back({flag.names, flag.placeholder, flag.help, flag.choices, repeats});
  }
  return facts;
}

}  // namespace muster
