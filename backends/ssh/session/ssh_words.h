// How the user's own ssh is called, and what it means when it fails. Configuration, keys, agents and jump hosts are ssh's
// business. Pure.
#pragma once

#include <string>
#include <vector>

#include "core/port/host_link.h"

namespace muster::ssh {

// What follows `ssh`. `may_ask`: somebody is there to answer its questions; else it fails instead. `socket`: of the connection that our
// sessions share (shared_connection.h); may be empty. The host can be no option: `--` stands before it.
std::vector<std::string> ssh_arguments(const std::string& host, bool may_ask, const std::string& socket);

constexpr int kSshFailed = 255;  // its own trouble (ssh(1), "EXIT STATUS")

using SshTrouble = HostTrouble;

// The last line of what a program said on stderr, for people; may be empty.
std::string failure_message(const std::string& errors);

// Of its exit code and what it said on stderr (messages of OpenSSH 7 to 10).
SshTrouble ssh_trouble(const std::string& host, int code, const std::string& errors);

}  // namespace muster::ssh
