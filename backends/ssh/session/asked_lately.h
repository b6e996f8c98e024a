// SPDX-License-Identifier: Apache-2.0
// Passes the result of `ssh -G` for a host from a command to the controller, which connects to the same host a moment later. One file
// per host, in the folder of the control sockets. Reading the file removes it. Any thread.
#pragma once

#include <map>
#include <optional>
#include <string>

namespace muster::ssh {

struct Asked {
  std::string folder;
  std::string ssh;  // path of the program
  std::string host;
  std::map<std::string, std::string> environment;  // of ssh
};

// `socket`: the result of shared_socket() for that configuration.
void leave_answer(const Asked& asked, const std::string& socket);

// nullopt: there was no answer to the same question in the last 5 s.
std::optional<std::string> take_answer(const Asked& asked);

}  // namespace muster::ssh
