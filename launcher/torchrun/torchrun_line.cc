// SPDX-License-Identifier: Apache-2.0
#include "launcher/torchrun/torchrun_line.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/base/text.h"
#include "core/job/python_command.h"
#include "launcher/torchrun/python_text.h"
#include "launcher/torchrun/torchrun_option.h"

namespace muster {
namespace {

using Kind = TorchrunLine::Kind;

// The name with the longest common prefix: for `--nprocs` this finds `--nproc-per-node`, which spelling distance does not.
std::optional<std::string> longest_common_prefix(const std::string& typed, const std::vector<std::string>& names) {
  constexpr size_t least = 5;
  std::optional<std::string> best;
  size_t most = least;
  for (const std::string& name : names) {
    const auto differ = std::mismatch(typed.begin(), typed.end(), name.begin(), name.end());
    const auto alike = static_cast<size_t>(differ.first - typed.begin());
    if (alike <= most) continue;
    most = alike;
    best = name;
  }
  return best;
}

class Parser {
 public:
  Parser(const std::vector<std::string>& arguments, const std::map<std::string, std::string>& environment, bool launch)
      : arguments_(arguments),
        environment_(environment),
        launch_(launch) {
    line_.flags.local_rank_argument = launch;
  }

  TorchrunLine parse() {
    while (line_.kind == Kind::run && at_ < arguments_.size() && !has_script_) take_next();
    if (line_.kind == Kind::run && !unknown_.empty()) tell_unknown();
    if (line_.kind == Kind::run && !has_script_) {
      wrong("there is no script to run: muster torchrun [flags] SCRIPT [its arguments]");
    }
    if (line_.kind == Kind::run) read_variables();
    if (line_.kind == Kind::run && line_.flags.no_python && line_.flags.local_rank_argument)
      wrong("--no-python needs --use-env with torch.distributed.launch, which passes --local-rank to scripts");
    return std::move(line_);
  }

 private:
  struct One {
    const TorchrunFlag* flag;
    std::string spelled;
    std::optional<std::string> value;
  };

  void wrong(std::string sentence) {
    line_.kind = Kind::wrong;
    line_.wrong = std::move(sentence);
  }

  void take_next() {
    const std::string& word = arguments_[at_];
    if (word == "--") return at_ + 1 < arguments_.size() ? take_script(at_ + 1, false) : void(++at_);
    if (launch_ && (word == "--use-env" || word == "--use_env")) {
      line_.flags.local_rank_argument = false;
      return void(++at_);
    }
    const auto option = torchrun_option(word);
    if (!option) return take_script(at_, true);
    ++at_;
    if (option->flags.empty()) {
      unknown_.push_back(word);
    } else if (option->flags.size() > 1) {
      tell_ambiguous(word, *option);
    } else {
      take_option({option->flags.front(), option->spelled, option->value});
    }
  }

  // All words after the script are its arguments. Like argparse, drops a `--` directly after the script if it is the first `--`.
  void take_script(size_t at, bool first_dashes) {
    has_script_ = true;
    line_.flags.training_script = arguments_[at];
    const bool eaten = first_dashes && at + 1 < arguments_.size() && arguments_[at + 1] == "--";
    const auto rest = arguments_.begin() + static_cast<std::ptrdiff_t>(at + 1 + (eaten ? 1 : 0));
    line_.flags.training_script_args.assign(rest, arguments_.end());
  }

  void tell_ambiguous(const std::string& word, const TorchrunOption& option) {
    std::vector<std::string> names;
    for (const TorchrunFlag* flag : option.flags) names.push_back(flag->name);
    wrong("`" + escaped(word) + "` could be " + short_list(names, 6));
  }

  void tell_unknown() {
    std::vector<std::string> names{"--help"};
    for (const TorchrunFlag& flag : torchrun_flags()) names.push_back(flag.name);
    std::string typed = unknown_.front().substr(0, unknown_.front().find('='));
    std::replace(typed.begin(), typed.end(), '_', '-');
    auto near = nearest(typed, names);
    if (!near) near = longest_common_prefix(typed, names);
    wrong("unknown flag `" + escaped(unknown_.front()) + "`" + (near ? "; did you mean `" + *near + "`?" : "") +
          "   all flags: muster torchrun --help");
  }

  // Flags without a value may share one dash: -mr3.
  void take_option(One option) {
    while (takes_no_value(*option.flag) && option.value) {
      const bool letters = option.spelled[1] != '-' && !option.value->empty();
      const TorchrunFlag* next = letters ? torchrun_flag_by_letter(option.value->front()) : nullptr;
      if (next == nullptr) {
        return wrong(torchrun_spellings(*option.flag) + " takes no value, but got `" + escaped(*option.value) + "`");
      }
      shared_.push_back(option.flag);
      const std::string rest = option.value->substr(1);
      option = {next, std::string("-") + next->letter, rest.empty() ? std::nullopt : std::optional(rest)};
    }
    if (!takes_no_value(*option.flag) && !option.value) take_value(option);
    if (line_.kind != Kind::run) return;
    for (const TorchrunFlag* flag : std::exchange(shared_, {})) set_yes(*flag);
    if (line_.kind != Kind::run) return;
    if (takes_no_value(*option.flag)) return set_yes(*option.flag);
    set_value(*option.flag, *option.value);
  }

  static bool takes_no_value(const TorchrunFlag& flag) {
    return std::holds_alternative<bool TorchrunFlags::*>(flag.place);
  }

  // The next argument, unless it is a flag itself.
  void take_value(One& option) {
    const bool there = at_ < arguments_.size() && arguments_[at_] != "--" && !torchrun_option(arguments_[at_]);
    if (!there) return wrong(torchrun_spellings(*option.flag) + " wants a value: " + option.flag->placeholder);
    option.value = arguments_[at_++];
  }

  void set_yes(const TorchrunFlag& flag) {
    if (line_.kind != Kind::run) return;
    if (&flag == &torchrun_help_flag()) {
      line_.kind = Kind::help;
      return;
    }
    line_.flags.*std::get<bool TorchrunFlags::*>(flag.place) = true;
  }

  void set_value(const TorchrunFlag& flag, const std::string& text) {
    if (!flag.choices.empty() && std::find(flag.choices.begin(), flag.choices.end(), text) == flag.choices.end()) {
      return wrong(flag.name + " is one of " + join(flag.choices, ", ") + ", not `" + escaped(text) + "`");
    }
    read_value(flag, flag.name, text);
    typed_.insert(&flag);
    if (flag.name == "--print-completion" && line_.kind == Kind::run) line_.kind = Kind::completion;
  }

  void read_value(const TorchrunFlag& flag, const std::string& source, const std::string& text) {
    std::visit([&](auto place) { read_into(line_.flags.*place, source, text); }, flag.place);
  }

  void read_into(std::string& place, const std::string&, const std::string& text) { place = text; }
  void read_into(std::optional<std::string>& place, const std::string&, const std::string& text) { place = text; }
  void read_into(std::vector<std::string>& place, const std::string&, const std::string& text) {
    place = python_comma_list(text);
  }

  void read_into(int64_t& place, const std::string& source, const std::string& text) {
    const auto number = python_int(text);
    if (!number) return wrong(source + " wants a whole number, not `" + escaped(text) + "`");
    place = *number;
  }

  void read_into(std::optional<int64_t>& place, const std::string& source, const std::string& text) {
    int64_t number = 0;
    read_into(number, source, text);
    if (line_.kind == Kind::run) place = number;
  }

  void read_into(double& place, const std::string& source, const std::string& text) {
    const auto number = python_float(text);
    if (!number) return wrong(source + " wants a number, not `" + escaped(text) + "`");
    place = *number;
  }

  // A switch is on if its variable is a number other than 0, even if it was not typed.
  void read_into(bool& place, const std::string& source, const std::string& text) {
    const auto number = python_int(text);
    if (!number) return wrong(source + " is 0 or 1, not `" + escaped(text) + "`");
    place = place || *number != 0;
  }

  void read_variables() {
    for (const TorchrunFlag& flag : torchrun_flags()) {
      const std::string name = torchrun_variable(flag);
      const auto found = name.empty() ? environment_.end() : environment_.find(name);
      if (found == environment_.end() || typed_.contains(&flag) || line_.kind != Kind::run) continue;
      read_value(flag, "the variable " + name, found->second);
    }
  }

  const std::vector<std::string>& arguments_;
  const std::map<std::string, std::string>& environment_;
  const bool launch_;
  TorchrunLine line_;
  size_t at_ = 0;
  bool has_script_ = false;
  std::vector<std::string> unknown_;
  std::vector<const TorchrunFlag*> shared_;  // flags of one dash, set only if the last one is valid
  std::set<const TorchrunFlag*> typed_;
};

}  // namespace

TorchrunLine parse_torchrun(const std::vector<std::string>& arguments,
                            const std::map<std::string, std::string>& environment) {
  return Parser(arguments, environment, false).parse();
}

std::optional<TorchrunLine> parse_torchrun_module(const std::vector<std::string>& words,
                                                  const std::map<std::string, std::string>& environment) {
  const std::optional<PythonCommand> command = python_command(words);
  if (!command || command->kind != PythonCommand::Kind::module) return std::nullopt;
  const bool launch = command->program == "torch.distributed.launch";
  if (!launch && command->program != "torch.distributed.run") return std::nullopt;
  const std::vector<std::string> arguments(words.begin() + static_cast<std::ptrdiff_t>(command->arguments),
                                           words.end());
  TorchrunLine line = Parser(arguments, environment, launch).parse();
  line.flags.interpreter = words.front();
  return line;
}

}  // namespace muster
