// SPDX-License-Identifier: Apache-2.0
#include "core/worker/collective/socket_interface.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netinet/in.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <mutex>

namespace muster::worker {
namespace {

constexpr const char* variable = "NCCL_SOCKET_IFNAME";

bool is_set(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != 0;
}

bool sets_it(const std::string& path) {
  std::ifstream file(path);
  const std::string start = std::string(variable) + "=";
  for (std::string line; std::getline(file, line);) {
    if (line.compare(0, start.size(), start) == 0) return true;
  }
  return false;
}

// The environment overrides NCCL's configuration files, so they must be read before the environment is changed.
bool user_chose() {
  if (is_set(variable) || is_set("NCCL_COMM_ID")) return true;
  const char* home = std::getenv("HOME");
  const char* own = std::getenv("NCCL_CONF_FILE");
  return sets_it("/etc/nccl.conf") || (own != nullptr && sets_it(own)) ||
         (own == nullptr && home != nullptr && sets_it(std::string(home) + "/.nccl.conf"));
}

bool carries(const ifaddrs& each, const std::string& address) {
  if (each.ifa_addr == nullptr) return false;
  char text[INET6_ADDRSTRLEN] = "";
  if (each.ifa_addr->sa_family == AF_INET) {
    ::inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(each.ifa_addr)->sin_addr, text, sizeof text);
  } else if (each.ifa_addr->sa_family == AF_INET6) {
    ::inet_ntop(AF_INET6, &reinterpret_cast<const sockaddr_in6*>(each.ifa_addr)->sin6_addr, text, sizeof text);
  }
  return address == text;
}

// The address in the format of inet_ntop().
std::string canonical(const std::string& address) {
  in6_addr six{};
  char text[INET6_ADDRSTRLEN] = "";
  if (::inet_pton(AF_INET6, address.c_str(), &six) != 1) return address;
  return ::inet_ntop(AF_INET6, &six, text, sizeof text);
}

}  // namespace

std::string interface_of(const std::string& address) {
  if (address.empty()) return "";
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) return "";
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> owned(list, &::freeifaddrs);
  const std::string wanted = canonical(address);
  for (const ifaddrs* each = list; each != nullptr; each = each->ifa_next) {
    if (carries(*each, wanted) && std::strchr(each->ifa_name, ':') == nullptr) return each->ifa_name;
  }
  return "";
}

std::string socket_interface_for(const std::string& address) {
  const std::string name = user_chose() ? "" : interface_of(address);
  return name.empty() ? "" : "=" + name;
}

void choose_socket_interface(const std::string& address) {
  static std::once_flag once;
  std::call_once(once, [&] {
    const std::string name = socket_interface_for(address);
    if (!name.empty()) ::setenv(variable, name.c_str(), 1);
  });
}

}  // namespace muster::worker
