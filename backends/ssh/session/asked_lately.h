// What ssh said of its configuration for a host a moment ago: a command that visited a host leaves it to the controller, which is about to
// go there, too. One file a host, in the folder of the connections' sockets; whoever reads it takes it away. Any thread.
#pragma once

#include <map>
#include <optional>
#include <string>

namespace muster::ssh {

struct Asked {
  std::string folder;
  std::string ssh;  // the program
  std::string host;
  std::map<std::string, std::string> environment;  // in which it was asked
};

// `socket`: as shared_socket() made it of the answer.
void leave_answer(const Asked& asked, const std::string& socket);

// Nothing: nobody has asked the same in the last seconds.
std::optional<std::string> take_answer(const Asked& asked);

}  // namespace muster::ssh
