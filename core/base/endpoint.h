// SPDX-License-Identifier: Apache-2.0
// Endpoint: a numeric address and a TCP port of a listening socket. A value.
#pragma once

#include <cstdint>
#include <string>

namespace muster {

struct Endpoint {
  std::string address;  // numeric, IPv4 or IPv6
  uint16_t port = 0;    // 0: none
  bool operator==(const Endpoint&) const = default;
};

}  // namespace muster
