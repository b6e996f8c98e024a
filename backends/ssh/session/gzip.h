// gzip (RFC 1952) of a text, by as many threads as there are processors. Any thread; blocks.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace muster::ssh {

Result<std::string> gzip(std::string_view text);

// The length of what such a file has packed, of four gigabytes at most; 0: it is none, or is cut off.
uint32_t unpacked_size(std::string_view packed);

}  // namespace muster::ssh
