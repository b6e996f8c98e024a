// SPDX-License-Identifier: Apache-2.0
// Commands whose program is standard input, such as `python -` and `bash -s`. Several ranks cannot read one standard
// input, so the submitting command reads the program once and every rank gets it as an argument (`-c`).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace muster {

// `-`, and the paths of standard input.
bool names_stdin(const std::string& word);

// A command whose program is standard input, without that word.
struct StdinProgram {
  std::vector<std::string> interpreter;  // with its flags, and what is before it
  std::vector<std::string> arguments;
  bool named = false;  // by `-`, `-s` or /dev/stdin; false: an interpreter without a program, which reads stdin too
};

// nullopt: the command has another program. An interpreter behind a wrapper (`env X=1 python -`) is found only if
// standard input is named.
std::optional<StdinProgram> stdin_program(const std::vector<std::string>& command);

// The standard input of this command.
struct StdinSource {
  bool terminal = false;
  std::function<std::string(size_t most)> read;  // at most that many bytes; blocks until its end
};

// `command` with the text of standard input as its program, if that is its program. Unchanged: the command has another
// program, or does not name standard input and that is a terminal or empty. invalid_argument: standard input is named,
// but it is a terminal, empty, or longer than Linux allows for an argument.
Result<std::vector<std::string>> with_stdin_program(const std::vector<std::string>& command, const StdinSource& source);

}  // namespace muster
