// SPDX-License-Identifier: Apache-2.0
// Parses, compares, binds and connects numeric TCP addresses. Never asks a name server.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "core/base/result.h"
#include "core/port/store_endpoint.h"
#include "core/system/posix/unique_fd.h"

namespace muster::tcpstore {

// An IPv6 address. IPv4 addresses are stored mapped (::ffff:a.b.c.d), so both forms that a kernel may report compare
// equal.
using Address = std::array<uint8_t, 16>;

// nullopt: `text` is not a numeric address. A zone (%eth0) is dropped.
std::optional<Address> address_of(const std::string& text);
std::string text_of(const Address& address);
bool is_loopback(const Address& address);
bool is_ipv4(const Address& address);
// Whether a socket of this machine can be bound to the address.
bool is_of_this_machine(const std::string& text);

struct SocketEnd {
  Address address{};
  uint16_t port = 0;
  bool operator==(const SocketEnd&) const = default;
};
SocketEnd endpoint_of(const sockaddr_storage& socket);

// A non-blocking listening socket; accepted sockets inherit its options. unavailable: the port is taken;
// invalid_argument: the address is not numeric or not an address of this machine.
Result<UniqueFd> listening_socket(const Endpoint& here);

// A non-blocking socket that connects to `there`. It becomes writable when it is connected or has failed (SO_ERROR).
Result<UniqueFd> connecting_socket(const Endpoint& there);

uint16_t port_of(int socket);

}  // namespace muster::tcpstore
