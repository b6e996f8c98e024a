// What torch writes of its flight recorder: a Python pickle of lists, maps, texts and numbers. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace muster {

// The same as JSON; tuples are lists, and a list or map that is referred to again is null there. Nothing: it is no such pickle, is torn, holds anything else (nothing is ever called), or would
// take more than 64 MiB of memory.
std::optional<std::string> json_of_pickle(std::string_view pickle);

}  // namespace muster
