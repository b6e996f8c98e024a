// The folder of a user's sockets on this machine (docs/design/decisions/0007-one-runtime-folder.md).
#pragma once

#include <string>

#include "core/base/result.h"

namespace muster {

// Makes, checks and names it: /tmp/muster-<uid>, a real folder of this user's with mode 0700. Not in XDG_RUNTIME_DIR:
// the same user has it in one session and not in the next (cron, sudo), and systemd removes it with the last one. Short
// enough for a socket's name of 35 bytes in it: a path below the 108 of sockaddr_un (unix(7)).
//
// failed_precondition when somebody else's folder, a link or a file is in its place. Any thread.
Result<std::string> runtime_folder();

// The same for a given path: makes it if it is not there (its parent must be).
Status make_private_folder(const std::string& path);

}  // namespace muster
