// SPDX-License-Identifier: Apache-2.0
// Python code of muster as a helper program. Any thread.
#pragma once

#include <map>
#include <string>

#include "core/client/run_program.h"

namespace muster {

// `interpreter -c code` in `workdir`. Before the first line of `code`, the current folder is removed from the places that Python imports
// from, so a file json.py there is not executed. PYTHONPATH and the user's packages stay (Python's own -I would ignore both). `code` can
// use `sys`, and `folder`: what was removed from the front of sys.path, [""] or [].
HelperProgram helper_python(const std::string& interpreter, const std::string& code,
                            std::map<std::string, std::string> environment, const std::string& workdir);

}  // namespace muster
