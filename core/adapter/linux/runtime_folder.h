// The folder of a user's sockets on this machine (DESIGN.md §9.5).
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"

namespace muster {

// Makes, checks and names it: `xdg_runtime_dir`/muster, or /tmp/muster-<uid> when that is empty, too long or not
// there; pass "" on hosts that we log out of, where systemd removes the former with the last session. It is a real
// folder of this user's with mode 0700, and short enough for a socket's name of 35 bytes in it: a path of 100
// bytes, below the 108 of sockaddr_un (unix(7)).
//
// failed_precondition when somebody else's folder, a link or a file is in its place. Any thread.
Result<std::string> runtime_folder(std::string_view xdg_runtime_dir);

// The same for a given path: makes it if it is not there (its parent must be).
Status make_private_folder(const std::string& path);

}  // namespace muster
