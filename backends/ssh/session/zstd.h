// SPDX-License-Identifier: Apache-2.0
// Compression with zstd (RFC 8878). It is unpacked several times as fast as gzip. Any thread; blocks.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace muster::ssh {

// resource_exhausted: there is not enough memory.
Result<std::string> zstd(std::string_view text);

// The length of the uncompressed text. 0: this is not zstd, or it is incomplete.
uint64_t zstd_unpacked_size(std::string_view packed);

}  // namespace muster::ssh
