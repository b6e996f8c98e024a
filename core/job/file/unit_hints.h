// What someone meant who wrote a size or a duration in another tool's way: "4gb" → "4GB", "5 min" → "5m". Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace muster {

// Texts that parse_size and parse_duration read.
std::optional<std::string> size_meant(std::string_view text);
std::optional<std::string> duration_meant(std::string_view text);

}  // namespace muster
