// SPDX-License-Identifier: Apache-2.0
// Which Python runs a program: virtual environments and PATH. Reads the file system.
#pragma once

#include <map>
#include <string>

namespace muster {

// The python of the virtual environment in whose bin folder `program` is: "/venv/bin/python3" for "/venv/bin/torchrun". Empty: `program`
// is not a path, or is in no virtual environment. Relative paths are below `workdir`.
std::string python_beside(const std::string& program, const std::string& workdir);

// If VIRTUAL_ENV names a virtual environment that `interpreter` (a path) is not part of: a sentence that says which of the two runs the
// ranks. Otherwise empty. `cure`: how to choose the other one; `$` stands for the path of its python.
std::string environment_remark(const std::string& interpreter, const std::map<std::string, std::string>& environment,
                               const std::string& cure);

}  // namespace muster
