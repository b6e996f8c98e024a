// What a rank of torchrun runs: interpreter, flags, script, arguments. Looks for files, starts nothing.
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

}  // namespace muster
