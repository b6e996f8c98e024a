// SPDX-License-Identifier: Apache-2.0
// Removes builds of muster from a host's cache that have not been used for long. Runs on the host. Any thread.
#pragma once

#include <string>

namespace muster::ssh {

// True if `program` is in a host's cache: CACHE/bin/HASH/muster.
bool is_copy(const std::string& program);

// Removes the folders of other builds beside that of `program` (CACHE/bin/HASH/muster), except the three that were used last and those
// used in the last 24 h. Removes also incomplete copies that are older than 24 h. A process of a removed build keeps running. Ignores
// errors. Does nothing if `program` is not in a cache.
void remove_old_builds(const std::string& program);

}  // namespace muster::ssh
