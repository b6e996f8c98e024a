// SPDX-License-Identifier: Apache-2.0
#include "core/job/mpirun/mpirun_line.h"

#include <algorithm>
#include <utility>

#include "core/base/text.h"
#include "core/job/names.h"

namespace muster {
namespace {

using Kind = MpirunFlag::Kind;

constexpr size_t kMostApps = 1000;
constexpr const char* kCommandLine = "the command line";

std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const MpirunFlag& flag : mpirun_flags()) {
    for (const std::string& name : flag.names) names.push_back(name);
  }
  return names;
}

class Parser {
 public:
  Parser(const std::vector<std::string>& words, MpirunFlags flags, SourceRange where)
      : words_(words),
        where_(std::move(where)) {
    line_.flags = std::move(flags);
  }

  MpirunLine parse() {
    while (at_ < words_.size() && !line_.problem) take_app();
    const MpirunFlags& flags = line_.flags;
    const bool needs_program = !flags.help && !flags.version && !flags.shim && flags.appfile.empty();
    if (!line_.problem && flags.apps.empty() && needs_program) no_program();
    return std::move(line_);
  }

 private:
  void wrong(const char* code, const std::string& flag, std::string message, std::string help) {
    line_.problem = mpirun_problem(code, flag, std::move(message), std::move(help));
    line_.problem_word = flag.empty() ? at_ : flag_at_;
    if (where_.line > 0) line_.problem->where = where_;
  }

  void no_program() { wrong("E1706", "", "there is no program to run", "muster mpirun -np 4 PROGRAM [arguments]"); }

  // One program with its flags, up to a `:` or the end. As with mpirun, a `:` may be the last word.
  void take_app() {
    MpirunApp app;
    while (at_ < words_.size() && !line_.problem && words_[at_].starts_with('-') && words_[at_] != "--") take_flag(app);
    if (line_.problem) return;
    if (at_ < words_.size() && words_[at_] == "--") ++at_;
    while (at_ < words_.size() && words_[at_] != ":") app.command.push_back(words_[at_++]);
    const bool another = at_ < words_.size();
    if (another) ++at_;
    const bool flags_only = !another && line_.flags.apps.empty();
    if (app.command.empty() && flags_only && may_be_alone()) return;
    if (app.command.empty()) return no_program();
    if (!is_text(join(app.command, " ")))
      return wrong("E1702", "", "the command has bytes that are not UTF-8 text: " + escaped(join(app.command, " ")),
                   "rename the file, or pass its name in a file");
    line_.flags.apps.push_back(std::move(app));
    if (line_.flags.apps.size() > kMostApps)
      wrong("E1702", "", "there are more than " + std::to_string(kMostApps) + " programs", "");
  }

  bool may_be_alone() const {
    const MpirunFlags& flags = line_.flags;
    return flags.help || flags.version || flags.shim || !flags.appfile.empty();
  }

  void take_flag(MpirunApp& app) {
    flag_at_ = at_;
    const std::string word = words_[at_++];
    const size_t equals = word.find('=');
    const MpirunFlag* flag = mpirun_flag(word.substr(0, equals));
    if (flag == nullptr) return unknown(word);
    const std::string spelled = word.substr(0, equals);
    if (flag->kind == Kind::refused)
      return wrong("E1703", spelled, spelled + " is not available: muster does not have it", flag->ours);
    const std::vector<std::string> wanted =
        flag->values.empty() ? std::vector<std::string>() : split(flag->values, ' ');
    std::vector<std::string> values;
    if (equals != std::string::npos && wanted.size() == 1) values.push_back(word.substr(equals + 1));
    if (equals != std::string::npos && wanted.size() != 1)
      return wrong("E1702", spelled,
                   spelled + (wanted.empty() ? " takes no value" : " takes its values as words of their own"), "");
    const auto joined = [&] { return flag->joined && !values.empty() && values[0].find('=') != std::string::npos; };
    while (values.size() < wanted.size() && at_ < words_.size() && !joined()) values.push_back(words_[at_++]);
    if (values.size() < wanted.size() && !joined())
      return wrong("E1702", spelled, spelled + " wants a value", "write " + spelled + " " + flag->values);
    use(*flag, spelled, values, app);
  }

  void use(const MpirunFlag& flag, const std::string& spelled, const std::vector<std::string>& values, MpirunApp& app) {
    if (flag.kind == Kind::ignored) {
      const std::string note = spelled + " has no effect: " + flag.ours;
      std::vector<std::string>& notes = line_.flags.ignored;
      if (!flag.ours.empty() && std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
      return;
    }
    const MpirunFault fault = flag.take(line_.flags, app, values);
    if (!fault.ok()) wrong("E1702", spelled, spelled + ": " + fault.message, fault.help);
  }

  void unknown(const std::string& word) {
    const std::string typed =
        word.substr(word.find_first_not_of('-') == std::string::npos ? word.size() : word.find_first_not_of('-'));
    const auto near = nearest(typed.substr(0, typed.find('=')), all_names());
    wrong("E1701", word, "unknown flag `" + escaped(word) + "`" + (near ? "; did you mean `--" + *near + "`?" : ""),
          "all flags: muster mpirun --help");
  }

  const std::vector<std::string>& words_;
  const SourceRange where_;
  MpirunLine line_;
  size_t at_ = 0;
  size_t flag_at_ = 0;  // of the flag that was read last
};

// The words of a line of an appfile. nullopt: a quote is not closed.
std::optional<std::vector<std::string>> words_of_line(std::string_view line) {
  std::vector<std::string> words;
  bool inside = false;
  char quote = 0;
  for (const char c : line) {
    if (quote == 0 && c == '#' && !inside) break;
    const bool blank = quote == 0 && (c == ' ' || c == '\t' || c == '\r');
    if (blank) {
      inside = false;
      continue;
    }
    if (!std::exchange(inside, true)) words.emplace_back();
    if (quote == 0 && (c == '"' || c == '\'')) {
      quote = c;
    } else if (c == quote) {
      quote = 0;
    } else {
      words.back() += c;
    }
  }
  return quote == 0 ? std::optional(words) : std::nullopt;
}

}  // namespace

Diagnostic mpirun_problem(const char* code, const std::string& flag, std::string message, std::string help) {
  Diagnostic problem;
  problem.code = code;
  problem.where = {flag.empty() ? kCommandLine : escaped(flag), 0, 0, 1};
  problem.message = std::move(message);
  problem.help = std::move(help);
  return problem;
}

Diagnostic mpirun_problem(const char* code, const Status& why) {
  const std::string& text = why.message();
  const size_t at = text.rfind("; ");
  if (at == std::string::npos) return mpirun_problem(code, "", text, "");
  return mpirun_problem(code, "", text.substr(0, at), text.substr(at + 2));
}

MpirunLine parse_mpirun(const std::vector<std::string>& words) { return Parser(words, {}, {}).parse(); }

MpirunLine with_appfile(MpirunFlags flags, const std::string& text, const std::string& file) {
  flags.apps.clear();
  flags.appfile.clear();
  MpirunLine all;
  all.flags = std::move(flags);
  uint32_t number = 0;
  for (const std::string& line : split(text, '\n')) {
    ++number;
    const auto words = words_of_line(line);
    const SourceRange where{file, number, 1, static_cast<uint32_t>(std::max<size_t>(line.size(), 1))};
    if (!words) {
      all.problem = mpirun_problem("E1708", "", "a quote is not closed", "close it, or remove it");
      all.problem->where = where;
      return all;
    }
    if (words->empty()) continue;
    all = Parser(*words, std::move(all.flags), where).parse();
    if (all.problem) return all;
  }
  if (all.flags.apps.empty()) {
    all.problem = mpirun_problem("E1708", "", "the file contains no program", "write a line: -np 4 PROGRAM");
    all.problem->where = {file, 1, 1, 1};
  }
  return all;
}

}  // namespace muster
