// SPDX-License-Identifier: Apache-2.0
// Text compressed with zlib, preceded by its length. Pure.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"

namespace muster::pod {

// Empty if the result were larger than `most` bytes, or if `text` is larger than 64 MiB.
std::string packed_text(std::string_view text, size_t most);

// data_loss: damaged.
Result<std::string> unpacked_text(std::string_view packed);

}  // namespace muster::pod
