// zstd (RFC 8878) of a text: it is unpacked four times as fast as gzip. By the machine's own library, where there is one: nothing is
// linked. Any thread; blocks.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace muster::ssh {

// not_found: this machine has no libzstd.
Result<std::string> zstd(std::string_view text);

// The length of what zstd() has packed; 0: it is none of its, or is cut off.
uint32_t zstd_unpacked_size(std::string_view packed);

}  // namespace muster::ssh
