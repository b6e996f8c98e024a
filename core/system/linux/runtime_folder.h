// SPDX-License-Identifier: Apache-2.0
// The folder for a user's sockets on this machine (docs/design/decisions/0007-one-runtime-folder.md).
#pragma once

#include <string>

#include "core/base/result.h"

namespace muster {

// Makes and checks the folder, and returns its path: /tmp/muster-<uid>, a real folder owned by this user with mode 0700. It is not
// in XDG_RUNTIME_DIR: this variable is set in some sessions of a user and not in others (cron, sudo), and systemd removes that
// folder with the last session. The path is short enough for a socket name of 35 bytes: sockaddr_un allows 107 (unix(7)).
//
// failed_precondition: the path is a link, a file or another user's folder. Any thread.
Result<std::string> runtime_folder();

// Its path, without making or checking it.
std::string runtime_folder_path();

// The same as runtime_folder() for a given path. Makes the folder if it does not exist; its parent must exist.
Status make_private_folder(const std::string& path);

}  // namespace muster
