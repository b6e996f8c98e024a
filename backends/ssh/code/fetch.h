// Files of a job, from the host where its ranks wrote them to here, by `muster pack` there and tar here. For commands: blocks, and lets ssh
// ask what it has to.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/ssh/session/host_session.h"
#include "core/client/caller_context.h"
#include "core/job/fetch_order.h"

namespace muster {

// Into the folder `target`, which is made; what is there by those names is replaced once all has come. A host that lies cannot write
// elsewhere, nor more than `most`; without it what is free here, but for a reserve. Fails with what ssh, the host or tar said. Else
// what of it the host could not read, a line for each: "out/key: Cannot open: Permission denied".
Result<std::vector<std::string>> fetch(const CallerContext& caller, std::shared_ptr<const HostAccess> access,
                                       const std::string& host, const FetchOrder& order, const std::string& target,
                                       std::optional<uint64_t> most);

// Of what tar says on a host.
std::vector<std::string> unread_of(const std::string& errors);

}  // namespace muster
