// SPDX-License-Identifier: Apache-2.0
// Parses a Python command line (`python --help`). Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace muster {

// Whether the command runs Python: `python3 -u train.py`, or a script by its name (`./train.py`).
bool is_python(const std::vector<std::string>& command);

// The index of the first argument of the program: after the script, or after `-m module` or `-c code`; for other
// programs 1.
size_t first_argument(const std::vector<std::string>& command);

// A command that starts an interpreter: `python3 -u train.py --lr 1`.
struct PythonCommand {
  enum class Kind { script, module, code } kind = Kind::script;
  std::vector<std::string> interpreter;  // with its flags: python3 -u
  std::string program;                   // script, module or code, as written
  size_t arguments = 0;                  // index of the first argument of the program
  bool customized = true;                // it runs `site` and reads PYTHONPATH: none of -E, -I, -S and -i
};
// nullopt: the command runs another program, no program, or a program from standard input.
std::optional<PythonCommand> python_command(const std::vector<std::string>& command);

}  // namespace muster
