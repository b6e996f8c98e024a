// SPDX-License-Identifier: Apache-2.0
// Parses texts with Python's rules, as torchrun does: int(), float(), and a comma-separated list. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster {

// int(text): surrounding blanks, a sign, digits with single underscores between them. Only 64-bit values and ASCII digits.
std::optional<int64_t> python_int(std::string_view text);

// float(text): the same, with fraction and exponent, inf, infinity and nan.
std::optional<double> python_float(std::string_view text);

// "a,b" → {"a", "b"}; `,,` is a comma inside an item. "" is one empty item.
std::vector<std::string> python_comma_list(std::string_view text);

}  // namespace muster
