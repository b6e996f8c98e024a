// SPDX-License-Identifier: Apache-2.0
// The command of torchrun's ranks: interpreter, flags, script, arguments. Reads the file system; only find_module() starts the interpreter.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "launcher/torchrun/torchrun_flags.h"

namespace muster {

// Where the interpreter is looked for.
struct ProgramPlace {
  std::map<std::string, std::string> environment;
  std::string workdir;
  std::string called;  // the word by which muster was called: "/venv/bin/torchrun"
};

// PYTHON_EXEC, else the python of the virtual environment in whose bin folder muster or `script` was called by path, else the first
// python3 or python in PATH. not_found: there is none.
Result<std::string> torchrun_interpreter(const ProgramPlace& place, const std::string& script = "");

// The command of every rank. not_found: as above, or the script of --run-path does not exist.
Result<std::vector<std::string>> torchrun_command(const TorchrunFlags& flags, const ProgramPlace& place);

// Asks the interpreter whether it can find the top-level module of `-m`, without importing it. not_found: it cannot. Other errors are left
// to the interpreter when it runs the script. Blocks.
Status find_module(const std::string& interpreter, const std::string& module,
                   const std::map<std::string, std::string>& environment, const std::string& workdir);

}  // namespace muster
