// SPDX-License-Identifier: Apache-2.0
// A folder with the programs mpirun, mpiexec, orterun and mpiexec.hydra, which run `muster mpirun`, for scripts that call them.
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/client/caller_context.h"

namespace muster {

// Creates the folder in `parent`, or completes it, and returns its path. The programs are symbolic links to this program. Errors: it cannot
// be written.
Result<std::string> make_mpirun_shim(const std::string& parent, const CallerContext& caller);

}  // namespace muster
