// What a rank of torchrun runs: interpreter, flags, script, arguments. Looks for files; starts nothing but the interpreter, to ask it for a module.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "launcher/torchrun/torchrun_flags.h"

namespace muster {

// PYTHON_EXEC, else the active virtual environment's python, else the first python3 or python of PATH. Fails with not_found
// when there is none.
Result<std::string> torchrun_interpreter(const std::map<std::string, std::string>& environment,
                                         const std::string& workdir);

// The command of every rank. Fails with not_found as above, or when the script of --run-path is not there.
Result<std::vector<std::string>> torchrun_command(const TorchrunFlags& flags,
                                                  const std::map<std::string, std::string>& environment,
                                                  const std::string& workdir);

// Asks the interpreter whether it has the module of `-m`, by its first name, which imports nothing. not_found: it has not. What else may
// be wrong it says itself, when it runs.
Status find_module(const std::string& interpreter, const std::string& module,
                   const std::map<std::string, std::string>& environment, const std::string& workdir);

}  // namespace muster
