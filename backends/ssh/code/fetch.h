// SPDX-License-Identifier: Apache-2.0
// fetch(): copies files of a job from a host to this machine, with `muster pack` on the host and tar here. For commands: it blocks, and
// ssh may ask questions at the terminal.
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

// Copies into the folder `target`, which is created. Existing files of the same names are replaced after everything has arrived. The
// host is not trusted: it can write neither outside `target` nor more than `most` bytes (default: room_for_arrivals()). Returns one
// line for each file that the host could not read: "out/key: Cannot open: Permission denied". Fails with the message of ssh, the host
// or tar.
Result<std::vector<std::string>> fetch(const CallerContext& caller, std::shared_ptr<const HostAccess> access,
                                       const std::string& host, const FetchOrder& order, const std::string& target,
                                       std::optional<uint64_t> most);

// Takes those lines from the stderr of tar on the host.
std::vector<std::string> unread_of(const std::string& errors);

}  // namespace muster
