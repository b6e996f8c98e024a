// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/loopback_name.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <fstream>
#include <sstream>

#include "core/system/posix/unique_fd.h"

namespace muster {
namespace {

bool has_ipv6_loopback() {
  const UniqueFd fd(socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  sockaddr_in6 address{};
  address.sin6_family = AF_INET6;
  address.sin6_addr = in6addr_loopback;
  return fd.valid() && bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

}  // namespace

bool names_ipv6_loopback(std::istream& hosts) {
  std::string line;
  while (std::getline(hosts, line)) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::string address, name;
    if (!(words >> address) || address != "::1") continue;
    while (words >> name)
      if (name == "localhost") return true;
  }
  return false;
}

std::string loopback_name() {
  std::ifstream hosts("/etc/hosts");
  return names_ipv6_loopback(hosts) && has_ipv6_loopback() ? "localhost" : "127.0.0.1";
}

}  // namespace muster
