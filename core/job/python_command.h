// What can be told of a Python command line from its words (`python --help`). Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace muster {

// `python3 -u train.py`, or a script by its own name.
bool is_python(const std::vector<std::string>& command);

// Where the program's own arguments begin: after the script, or after `-m module` or `-c code`; else after the program.
size_t first_argument(const std::vector<std::string>& command);

// A command that starts an interpreter: `python3 -u train.py --lr 1`.
struct PythonCommand {
  enum class Kind { script, module, code } kind = Kind::script;
  std::vector<std::string> interpreter;  // with its flags: python3 -u
  std::string program;                   // script, module or code, as it was written
  size_t arguments = 0;                  // where the program's own begin
  bool customized = true;                // it runs its `site` stage and reads PYTHONPATH: none of -E, -I, -S, and no -i
};
// Nothing: another program, no program, or one from standard input.
std::optional<PythonCommand> python_command(const std::vector<std::string>& command);

}  // namespace muster
