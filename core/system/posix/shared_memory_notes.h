// SPDX-License-Identifier: Apache-2.0
// Shared memory (shm_overview(7)) whose name a rank's library chose. A folder has a link to each, so that whoever removes the folder
// can remove the memory too, also after its process was killed. Any thread.
#pragma once

#include <string>

namespace muster {

// `name`: as in /dev/shm. It need not exist yet.
void note_shared_memory(const std::string& folder, const std::string& name);

// Removes the folder, and the shared memory that was noted in it.
void remove_with_shared_memory(const std::string& folder);

}  // namespace muster
