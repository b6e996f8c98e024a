// Text made small (zlib), with its length before it. Pure.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"

namespace muster::pod {

// Empty where it would be more than `most` bytes, or is more than 64 MiB by itself.
std::string packed_text(std::string_view text, size_t most);

// data_loss: it is none of these.
Result<std::string> unpacked_text(std::string_view packed);

}  // namespace muster::pod
