// SPDX-License-Identifier: Apache-2.0
// Files that only the user may read, whatever the umask is. Any thread.
#pragma once

#include <string>

namespace muster {

// Creates the file with mode 0600; if it exists, gives it that mode. Its content stays. False, with errno: of open(2).
bool make_private_file(const std::string& path);

}  // namespace muster
