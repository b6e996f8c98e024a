// SPDX-License-Identifier: Apache-2.0
#include "core/node/torch_store/address.h"

#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/tcp.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/port/tcp_target.h"

namespace muster::tcpstore {
namespace {

// Linux caps it at net.core.somaxconn, which is 4096 since 5.4.
constexpr int kBacklog = 4096;
constexpr std::array<uint8_t, 12> kMapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

struct SocketAddress {
  sockaddr_storage bytes{};
  socklen_t size = 0;
};

std::optional<SocketAddress> socket_address(const Endpoint& at) {
  SocketAddress found;
  auto* four = reinterpret_cast<sockaddr_in*>(&found.bytes);
  auto* six = reinterpret_cast<sockaddr_in6*>(&found.bytes);
  if (inet_pton(AF_INET, at.address.c_str(), &four->sin_addr) == 1) {
    four->sin_family = AF_INET;
    four->sin_port = htons(at.port);
    found.size = sizeof *four;
    return found;
  }
  const size_t zone = at.address.find('%');
  if (inet_pton(AF_INET6, at.address.substr(0, zone).c_str(), &six->sin6_addr) != 1) return std::nullopt;
  if (zone != std::string::npos) six->sin6_scope_id = if_nametoindex(at.address.c_str() + zone + 1);
  six->sin6_family = AF_INET6;
  six->sin6_port = htons(at.port);
  found.size = sizeof *six;
  return found;
}

void turn_on(int fd, int level, int option) {
  const int on = 1;
  setsockopt(fd, level, option, &on, sizeof on);
}

std::string name_of(const Endpoint& at) { return host_port(at.address, at.port); }

Status not_numeric(const Endpoint& at) {
  return {Code::invalid_argument, "`" + at.address + "` is not a numeric IP address"};
}

Status cannot(const char* what, const Endpoint& at, int error) {
  const Code code = error == EADDRNOTAVAIL ? Code::invalid_argument
                    : error == EACCES      ? Code::permission_denied
                                           : Code::unavailable;
  return {code, std::string("cannot ") + what + " " + name_of(at) + ": " + std::strerror(error)};
}

}  // namespace

std::optional<Address> address_of(const std::string& text) {
  const std::optional<SocketAddress> found = socket_address({text, 0});
  return found ? std::optional(endpoint_of(found->bytes).address) : std::nullopt;
}

std::string text_of(const Address& address) {
  char text[INET6_ADDRSTRLEN] = "";
  if (is_ipv4(address)) {
    inet_ntop(AF_INET, address.data() + kMapped.size(), text, sizeof text);
  } else {
    inet_ntop(AF_INET6, address.data(), text, sizeof text);
  }
  return text;
}

bool is_ipv4(const Address& address) { return std::equal(kMapped.begin(), kMapped.end(), address.begin()); }

bool is_loopback(const Address& address) {
  if (is_ipv4(address)) return address[12] == 127;
  return address == Address{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
}

bool is_of_this_machine(const std::string& text) {
  const std::optional<SocketAddress> address = socket_address({text, 0});
  if (!address) return false;
  const UniqueFd fd(socket(address->bytes.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  return fd.valid() && bind(fd.get(), reinterpret_cast<const sockaddr*>(&address->bytes), address->size) == 0;
}

SocketEnd endpoint_of(const sockaddr_storage& socket) {
  SocketEnd found;
  if (socket.ss_family == AF_INET) {
    const auto& four = reinterpret_cast<const sockaddr_in&>(socket);
    std::copy(kMapped.begin(), kMapped.end(), found.address.begin());
    std::memcpy(found.address.data() + kMapped.size(), &four.sin_addr, 4);
    found.port = ntohs(four.sin_port);
  } else {
    const auto& six = reinterpret_cast<const sockaddr_in6&>(socket);
    std::memcpy(found.address.data(), &six.sin6_addr, 16);
    found.port = ntohs(six.sin6_port);
  }
  return found;
}

Result<UniqueFd> listening_socket(const Endpoint& here) {
  const std::optional<SocketAddress> address = socket_address(here);
  if (!address) return not_numeric(here);
  UniqueFd fd(socket(address->bytes.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd.valid()) return cannot("listen at", here, errno);
  turn_on(fd.get(), SOL_SOCKET, SO_REUSEADDR);
  turn_on(fd.get(), IPPROTO_TCP, TCP_NODELAY);
  if (bind(fd.get(), reinterpret_cast<const sockaddr*>(&address->bytes), address->size) != 0 ||
      listen(fd.get(), kBacklog) != 0)
    return cannot("listen at", here, errno);
  return fd;
}

Result<UniqueFd> connecting_socket(const Endpoint& there) {
  const std::optional<SocketAddress> address = socket_address(there);
  if (!address) return not_numeric(there);
  UniqueFd fd(socket(address->bytes.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd.valid()) return cannot("connect to", there, errno);
  turn_on(fd.get(), IPPROTO_TCP, TCP_NODELAY);
  if (connect(fd.get(), reinterpret_cast<const sockaddr*>(&address->bytes), address->size) != 0 && errno != EINPROGRESS)
    return cannot("connect to", there, errno);
  return fd;
}

uint16_t port_of(int socket) {
  sockaddr_storage bytes{};
  socklen_t size = sizeof bytes;
  if (getsockname(socket, reinterpret_cast<sockaddr*>(&bytes), &size) != 0) return 0;
  return endpoint_of(bytes).port;
}

}  // namespace muster::tcpstore
