// How this program reaches hosts: the user's ssh, and this build for those that do not have it yet.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "backends/ssh/session/host_session.h"
#include "core/client/caller_context.h"

namespace muster {

// not_found: there is no ssh in the PATH of the caller. Reads this program once, and packs it once where some host needs it.
Result<std::shared_ptr<const HostAccess>> host_access(const CallerContext& caller);

// The same for ssh as the user of this environment calls it.
Result<std::shared_ptr<const HostAccess>> host_access_for(const HostAccess& access,
                                                          const std::map<std::string, std::string>& environment);

}  // namespace muster
