// SPDX-License-Identifier: Apache-2.0
// One ssh connection per host, which all sessions of muster to that host share (ControlMaster, ssh_config(5)). The first session opens it
// and asks questions, if any; later sessions use it. Pure.
#pragma once

#include <string>
#include <vector>

namespace muster::ssh {

// The arguments after `ssh` that make it print its configuration for the host and exit.
std::vector<std::string> configuration_arguments(const std::string& host);

// The path of the connection's control socket in `folder`, which must be private. Each configuration has its own connection. Empty: the
// user's configuration already shares connections, or ssh would not take the path literally.
std::string shared_socket(const std::string& folder, const std::string& host, const std::string& configuration);

// Options of ssh that open the connection or use it.
std::vector<std::string> sharing_options(const std::string& socket);

}  // namespace muster::ssh
