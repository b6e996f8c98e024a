// Writing JSON by hand: the two shapes that muster's own texts need. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace muster {

// "text" with its quotes, on one line. Control characters are escaped, everything else is kept as it is.
std::string json_quoted(std::string_view text);

// ["a","b"]
std::string json_list(const std::vector<std::string>& texts);

}  // namespace muster
