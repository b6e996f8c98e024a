// Numeric addresses of TCP: parsed, compared, bound and connected to. Nothing here asks a name server.
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

// An address as IPv6 writes it: an IPv4 one is mapped, so that both ways in which a kernel may tell it are equal.
using Address = std::array<uint8_t, 16>;

// nullopt: `text` is no numeric address. A zone (%eth0) is not part of what is compared.
std::optional<Address> address_of(const std::string& text);
std::string text_of(const Address& address);
bool is_loopback(const Address& address);
bool is_ipv4(const Address& address);
// Whether a socket of this machine can have it.
bool is_of_this_machine(const std::string& text);

struct SocketEnd {
  Address address{};
  uint16_t port = 0;
  bool operator==(const SocketEnd&) const = default;
};
SocketEnd endpoint_of(const sockaddr_storage& socket);

// A socket that listens, does not block and lends its settings to those it accepts. unavailable: the port is taken;
// invalid_argument: the address is not numeric, or none of this machine.
Result<UniqueFd> listening_socket(const Endpoint& here);

// A socket on its way to `there`; writable once it is there or has failed (SO_ERROR).
Result<UniqueFd> connecting_socket(const Endpoint& there);

uint16_t port_of(int socket);

}  // namespace muster::tcpstore
