// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/listening_port.h"

#include <cstdio>
#include <string>

#include "core/system/linux/proc_files.h"

namespace muster {

// A line (proc(5)): "  0: 0100007F:1F90 00000000:0000 0A …": number, local and remote end, state; 0A is TCP_LISTEN.
bool listens_in(std::string_view table, uint16_t port) {
  char wanted[16];
  std::snprintf(wanted, sizeof wanted, ":%04X ", port);
  for (size_t at = table.find(wanted); at != std::string_view::npos; at = table.find(wanted, at + 1)) {
    const std::string_view rest = table.substr(at + 6);
    const size_t state = rest.find(' ');
    // The remote end of a listening socket has port 0, so this is its local end.
    if (state != std::string_view::npos && rest.substr(0, state).ends_with(":0000") &&
        rest.substr(state + 1).starts_with("0A "))
      return true;
  }
  return false;
}

bool is_listening(uint16_t port) {
  return listens_in(read_small_file("/proc/net/tcp").value_or(""), port) ||
         listens_in(read_small_file("/proc/net/tcp6").value_or(""), port);
}

}  // namespace muster
