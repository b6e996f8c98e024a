// SPDX-License-Identifier: Apache-2.0
// Whether a TCP port of this machine is open, without a connection to it: its program would have to serve that.
#pragma once

#include <cstdint>
#include <string_view>

namespace muster {

// Whether a socket in `table`, the text of /proc/net/tcp or tcp6, listens at the port.
bool listens_in(std::string_view table, uint16_t port);

// Whether a socket of this process's network namespace listens at the port. Any thread.
bool is_listening(uint16_t port);

}  // namespace muster
