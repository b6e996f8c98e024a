// SPDX-License-Identifier: Apache-2.0
// Suggestions for sizes and durations that are written as in other tools: "4gb" → "4GB", "5 min" → "5m". Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace muster {

// A text that parse_size or parse_duration accepts; nullopt if there is no suggestion.
std::optional<std::string> size_meant(std::string_view text);
std::optional<std::string> duration_meant(std::string_view text);

}  // namespace muster
