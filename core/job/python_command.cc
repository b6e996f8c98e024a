// SPDX-License-Identifier: Apache-2.0
#include "core/job/python_command.h"

#include <algorithm>
#include <string_view>

namespace muster {
namespace {

bool is_interpreter(std::string_view word) {
  const std::string_view program = word.substr(word.rfind('/') + 1);
  return program.starts_with("python") || program.starts_with("pypy");
}

// The result of one word of flags, such as `-uB` or `-Wignore`: what the next word is.
struct Flags {
  enum class Then { more, value, program } then = Then::more;
  PythonCommand::Kind kind = PythonCommand::Kind::script;
  std::string_view rest;  // the rest of the word, if the value or program begins in it
  bool customized = true;
};

Flags read_flags(std::string_view word) {
  if (word.starts_with("--")) {
    const bool takes = word == "--check-hash-based-pycs";
    return {takes ? Flags::Then::value : Flags::Then::more, {}, {}, true};
  }
  Flags flags;
  for (size_t at = 1; at < word.size(); ++at) {
    const char flag = word[at];
    flags.rest = word.substr(at + 1);
    if (flag == 'W' || flag == 'X') return flags.then = Flags::Then::value, flags;
    if (flag == 'm' || flag == 'c') {
      flags.kind = flag == 'm' ? PythonCommand::Kind::module : PythonCommand::Kind::code;
      return flags.then = Flags::Then::program, flags;
    }
    if (std::string_view("EISihV?").find(flag) != std::string_view::npos) flags.customized = false;
  }
  flags.rest = {};
  return flags;
}

}  // namespace

bool is_python(const std::vector<std::string>& command) {
  if (command.empty()) return false;
  return is_interpreter(command[0]) || (command[0].size() > 3 && command[0].ends_with(".py"));
}

std::optional<PythonCommand> python_command(const std::vector<std::string>& command) {
  if (command.empty() || !is_interpreter(command[0])) return std::nullopt;
  PythonCommand found;
  for (size_t at = 1; at < command.size(); ++at) {
    const std::string_view word = command[at];
    if (word == "-") return std::nullopt;
    Flags flags{Flags::Then::program, PythonCommand::Kind::script, word, true};
    const size_t begin = at;
    if (word.starts_with("-")) flags = read_flags(word);
    found.customized = found.customized && flags.customized;
    if (flags.then != Flags::Then::more && flags.rest.empty() && ++at == command.size()) return std::nullopt;
    if (flags.then != Flags::Then::program) continue;
    found.kind = flags.kind;
    found.program = flags.rest.empty() ? command[at] : std::string(flags.rest);
    found.interpreter.assign(command.begin(), command.begin() + static_cast<ptrdiff_t>(begin));
    found.arguments = at + 1;
    return found;
  }
  return std::nullopt;
}

size_t first_argument(const std::vector<std::string>& command) {
  if (command.empty()) return 0;
  if (!is_interpreter(command[0])) return 1;
  const std::optional<PythonCommand> found = python_command(command);
  return found ? found->arguments : command.size();
}

}  // namespace muster
