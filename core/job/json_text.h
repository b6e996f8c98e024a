// SPDX-License-Identifier: Apache-2.0
// Writes JSON texts without a library. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace muster {

// A JSON string with quotes, on one line. Quotes, backslashes and control characters are escaped.
std::string json_quoted(std::string_view text);

// ["a","b"]
std::string json_list(const std::vector<std::string>& texts);

}  // namespace muster
