// SPDX-License-Identifier: Apache-2.0
#include "core/client/guess/stdin_program.h"

#include <algorithm>
#include <array>

#include "core/base/text.h"
#include "core/job/interpreters.h"

namespace muster {
namespace {

using Words = std::vector<std::string>;

constexpr size_t kMostBytes = 120 * 1024;  // Linux allows 128 KiB for one argument (execve(2))

Words from(const Words& words, size_t at) { return {words.begin() + static_cast<std::ptrdiff_t>(at), words.end()}; }
Words until(const Words& words, size_t at) { return {words.begin(), words.begin() + static_cast<std::ptrdiff_t>(at)}; }

bool has_letter(const std::string& flags, std::string_view letters) {
  return flags.find_first_of(letters) != std::string::npos;
}

std::optional<StdinProgram> of_python(const Words& words) {
  for (size_t at = 1; at < words.size(); ++at) {
    const std::string& word = words[at];
    if (names_stdin(word)) return StdinProgram{until(words, at), from(words, at + 1), true};
    const bool takes_value = word == "-W" || word == "-X";
    if (takes_value) ++at;
    if (takes_value || word.starts_with("-W") || word.starts_with("-X")) continue;
    // -c and -m name another program, -i and -V need none.
    if (!word.starts_with('-') || word.starts_with("--") || has_letter(word, "cmihV?")) return std::nullopt;
  }
  return StdinProgram{words, {}, false};
}

std::optional<StdinProgram> of_shell(const Words& words) {
  for (size_t at = 1; at < words.size(); ++at) {
    const std::string& word = words[at];
    if (names_stdin(word)) return StdinProgram{until(words, at), from(words, at + 1), true};
    if (word == "-o" || word == "-O") {
      ++at;
    } else if (!word.starts_with('-') || word.starts_with("--") || has_letter(word, "ci")) {
      return std::nullopt;
    } else if (has_letter(word, "s")) {
      StdinProgram found{until(words, at), from(words, at + 1), true};
      std::string flags = word;
      std::erase(flags, 's');
      if (flags.size() > 1) found.interpreter.push_back(flags);
      return found;
    }
  }
  return StdinProgram{words, {}, false};
}

}  // namespace

bool names_stdin(const std::string& word) {
  constexpr std::array<std::string_view, 4> kNames{"-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"};
  return std::find(kNames.begin(), kNames.end(), word) != kNames.end();
}

std::optional<StdinProgram> stdin_program(const Words& command) {
  const auto runs_text = [](const std::string& word) { return is_python_name(word) || is_shell_name(word); };
  const auto found = std::find_if(command.begin(), command.end(), runs_text);
  if (found == command.end()) return std::nullopt;
  const auto at = static_cast<size_t>(found - command.begin());
  const Words own = from(command, at);
  std::optional<StdinProgram> program = is_python_name(*found) ? of_python(own) : of_shell(own);
  if (!program || (at > 0 && !program->named)) return std::nullopt;
  program->interpreter.insert(program->interpreter.begin(), command.begin(), found);
  return program;
}

Result<Words> with_stdin_program(const Words& command, const StdinSource& source) {
  const std::optional<StdinProgram> program = stdin_program(command);
  if (!program || (!program->named && source.terminal)) return command;
  const auto refused = [&](const std::string& what) {
    return Status(Code::invalid_argument,
                  "the program is standard input, " + what + "; save it in a file and name that");
  };
  if (source.terminal) return refused("but that is a terminal, which several ranks cannot read");
  const std::string text = source.read(kMostBytes + 1);
  if (text.empty() && !program->named) return command;
  if (text.empty()) return refused("but that is empty");
  if (text.size() > kMostBytes) return refused("which is longer than " + humane_size(kMostBytes));
  if (text.find('\0') != std::string::npos) return refused("but that is not text");
  Words words = program->interpreter;
  words.insert(words.end(), {"-c", text});
  const auto runs_shell = [](const std::string& word) { return is_shell_name(word); };
  const auto shell = std::find_if(command.begin(), command.end(), runs_shell);
  if (shell != command.end()) words.push_back(*shell);  // $0 of the program
  words.insert(words.end(), program->arguments.begin(), program->arguments.end());
  return words;
}

}  // namespace muster
