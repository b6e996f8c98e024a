// SPDX-License-Identifier: Apache-2.0
// The PMIx helper: the process `muster pmix` that an agent starts on its node for each attempt of an MPI job (PmixService). It loads
// libpmix, whose threads and aborts are thus not the agent's, and serves the node's ranks (PmixWorld).
#pragma once

#include <string>

namespace muster {

// Connects to the agent at `socket`, takes one task, and serves it until the agent closes the connection. Returns the exit code.
int pmix_helper(const std::string& socket);

}  // namespace muster
