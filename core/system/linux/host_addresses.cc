// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/host_addresses.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <sys/socket.h>

#include <algorithm>
#include <memory>

#include "core/base/text.h"

namespace muster {

Result<std::vector<std::string>> addresses_of(const std::string& name) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  const int error = getaddrinfo(name.c_str(), nullptr, &hints, &list);
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owned(list, freeaddrinfo);
  if (error != 0) {
    const bool later = error == EAI_AGAIN;
    return Status(later ? Code::unavailable : Code::not_found,
                  "no address is known for `" + escaped(name) + "`: " + gai_strerror(error));
  }
  std::vector<std::string> addresses;
  for (const int family : {AF_INET, AF_INET6}) {
    for (const addrinfo* each = list; each != nullptr; each = each->ai_next) {
      if (each->ai_family != family) continue;
      char text[NI_MAXHOST];
      if (getnameinfo(each->ai_addr, each->ai_addrlen, text, sizeof text, nullptr, 0, NI_NUMERICHOST) != 0) continue;
      if (std::find(addresses.begin(), addresses.end(), text) == addresses.end()) addresses.emplace_back(text);
    }
  }
  if (addresses.empty()) return Status(Code::not_found, "`" + escaped(name) + "` has no IPv4 or IPv6 address");
  return addresses;
}

bool is_loopback_address(const std::string& numeric) {
  in_addr four{};
  if (inet_pton(AF_INET, numeric.c_str(), &four) == 1) return (ntohl(four.s_addr) >> 24) == 127;
  in6_addr six{};
  return inet_pton(AF_INET6, numeric.c_str(), &six) == 1 && IN6_IS_ADDR_LOOPBACK(&six);
}

std::map<std::string, std::string> nics_by_address() {
  std::map<std::string, std::string> nics;
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return nics;
  for (const ifaddrs* each = all; each != nullptr; each = each->ifa_next) {
    if (each->ifa_addr == nullptr) continue;
    const bool six = each->ifa_addr->sa_family == AF_INET6;
    if (!six && each->ifa_addr->sa_family != AF_INET) continue;
    char text[NI_MAXHOST];
    const socklen_t length = six ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
    if (getnameinfo(each->ifa_addr, length, text, sizeof text, nullptr, 0, NI_NUMERICHOST) == 0)
      nics[text] = each->ifa_name;
  }
  freeifaddrs(all);
  return nics;
}

}  // namespace muster
