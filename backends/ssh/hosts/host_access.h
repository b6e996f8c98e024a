// SPDX-License-Identifier: Apache-2.0
// Makes the HostAccess of this program: the user's ssh, and this build of muster for hosts that do not have it yet.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "backends/ssh/session/host_session.h"
#include "core/client/caller_context.h"

namespace muster {

// not_found: ssh is not in the caller's PATH. Reads this program once; compresses it once, when the first host needs it.
Result<std::shared_ptr<const HostAccess>> host_access(const CallerContext& caller);

// The same for the ssh of another environment: its PATH and its variables.
Result<std::shared_ptr<const HostAccess>> host_access_for(const HostAccess& access,
                                                          const std::map<std::string, std::string>& environment);

}  // namespace muster
