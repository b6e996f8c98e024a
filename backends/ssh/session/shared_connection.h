// One ssh connection a host, which all our sessions there share (ControlMaster, ssh_config(5)): the first opens it and asks what there is to
// ask, the others go through it. Pure.
#pragma once

#include <string>
#include <vector>

namespace muster::ssh {

// What follows `ssh` so that it says how it is configured for that host, and does nothing.
std::vector<std::string> configuration_arguments(const std::string& host);

// Where the connection's socket lies, in a folder that is nobody else's. Empty: the user's configuration shares connections by itself, or
// the path is none that ssh takes as it is. Another configuration is another connection.
std::string shared_socket(const std::string& folder, const std::string& host, const std::string& configuration);

// Options that open it there, or go through it.
std::vector<std::string> sharing_options(const std::string& socket);

}  // namespace muster::ssh
