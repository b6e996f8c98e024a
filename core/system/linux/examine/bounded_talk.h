// SPDX-License-Identifier: Apache-2.0
// Reads and writes with limits of time and size. Any thread; blocks at most until `TalkLimits::end`.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

#include "core/system/posix/unique_fd.h"

namespace muster {

struct TalkLimits {
  std::chrono::steady_clock::time_point end;
  size_t most_bytes = 0;
};

// Everything up to the end of the stream.
std::string read_to_end(int from, const TalkLimits& limits);

// Everything up to and with `end`, or up to the end of the stream. The peer must send nothing after `end`: it would be read too.
std::string read_through(int from, std::string_view end, const TalkLimits& limits);

// False: not all bytes were written.
bool write_whole(int to, std::string_view text, const TalkLimits& limits);

// Connects to a socket of this machine: "/path", "127.0.0.1:28028", "[::1]:28028", "localhost:28028". Asks no name server. Not
// valid: no process listens there, or it does not accept in time.
UniqueFd connect_locally(const std::string& address, const TalkLimits& limits);

}  // namespace muster
