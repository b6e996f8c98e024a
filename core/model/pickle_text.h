// What torch writes of its flight recorder: a Python pickle of lists, maps, texts and numbers. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace muster {

// The same as JSON; tuples are lists. Nothing: it is no such pickle, is torn, holds anything else (nothing is ever called), or would
// grow beyond 64 MiB.
std::optional<std::string> json_of_pickle(std::string_view pickle);

}  // namespace muster
