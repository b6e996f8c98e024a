// Builds of muster that lie in a host's cache and that nobody has used for long. Runs on the host. Any thread.
#pragma once

#include <string>

namespace muster::ssh {

// Whether it lies where hosts keep copies: CACHE/bin/HASH/muster.
bool is_copy(const std::string& program);

// Of the folder that `program` is in (CACHE/bin/HASH/muster): removes the folders of other builds, but for the three that were used
// last, and leftovers of copies that were cut off a day ago. A build that runs goes on. Says nothing of what it cannot remove;
// touches nothing where `program` lies elsewhere.
void remove_old_builds(const std::string& program);

}  // namespace muster::ssh
