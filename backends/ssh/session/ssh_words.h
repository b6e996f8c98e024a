// SPDX-License-Identifier: Apache-2.0
// The arguments for the user's own ssh, and messages for its failures. ssh itself handles its configuration, keys, agents and jump
// hosts. Pure.
#pragma once

#include <string>
#include <vector>

#include "core/port/host_link.h"

namespace muster::ssh {

// The arguments after `ssh`. `may_ask` false: ssh fails instead of asking questions. `socket`: the control socket of the shared
// connection (shared_connection.h); may be empty. The host follows `--`, so that it cannot be taken for an option.
std::vector<std::string> ssh_arguments(const std::string& host, bool may_ask, const std::string& socket);

constexpr int kSshFailed = 255;      // ssh itself failed (ssh(1), "EXIT STATUS")
constexpr int kNoSuchProgram = 127;  // the login shell did not find the remote command

using SshTrouble = HostTrouble;

// The last line that is not blank of a program's stderr, escaped for terminals; may be empty.
std::string failure_message(const std::string& errors);

// Explains a failure by ssh's exit code and stderr (messages of OpenSSH 7 to 10).
SshTrouble ssh_trouble(const std::string& host, int code, const std::string& errors);

// The account's login shell ended with `code` without starting the remote command, for example because a start-up file has `exit`.
// `said`: its last line; may be empty.
SshTrouble login_shell_ended(const std::string& host, int code, const std::string& said);

}  // namespace muster::ssh
