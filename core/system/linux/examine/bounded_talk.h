// Reading and asking with an end: of time and of size. Any thread; blocks until then at the most.
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

// What comes until the other side closes.
std::string read_to_end(int from, const TalkLimits& limits);

// What comes until it ends with `end`, or as above. Nothing after it must be on its way: it would be read too.
std::string read_through(int from, std::string_view end, const TalkLimits& limits);

// False: it did not go out whole.
bool write_whole(int to, std::string_view text, const TalkLimits& limits);

// A stream to a socket of this machine: "/path", "127.0.0.1:28028", "[::1]:28028", "localhost:28028". No name server is asked. Not
// valid: nobody listens there, or not in time.
UniqueFd connect_locally(const std::string& address, const TalkLimits& limits);

}  // namespace muster
