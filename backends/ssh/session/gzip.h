// SPDX-License-Identifier: Apache-2.0
// Compression with gzip (RFC 1952). Any thread; blocks.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace muster::ssh {

// `text` is shorter than 4 GiB. resource_exhausted: there is not enough memory.
Result<std::string> gzip(std::string_view text);

// The length of the uncompressed text, from the last bytes of the compressed form. 0: this is not gzip.
uint64_t unpacked_size(std::string_view packed);

}  // namespace muster::ssh
