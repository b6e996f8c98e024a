// Texts as Python reads them where torchrun leaves the reading to it: int(), float(), a comma separated list. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster {

// int(text): blanks around it, a sign, digits with single underscores between them. Nothing beyond 64 bits, no digits but ASCII's.
std::optional<int64_t> python_int(std::string_view text);

// float(text): likewise, with fraction and exponent, inf, infinity and nan.
std::optional<double> python_float(std::string_view text);

// "a,b" → {"a", "b"}; `,,` is a comma inside an item. "" is one empty item.
std::vector<std::string> python_comma_list(std::string_view text);

}  // namespace muster
