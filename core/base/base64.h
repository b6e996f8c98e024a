// Bytes as letters (RFC 4648), for where only text passes. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace muster {

std::string base64(std::string_view bytes);

// Nothing: that is no base64, or not whole.
std::optional<std::string> bytes_of_base64(std::string_view text);

}  // namespace muster
