// SPDX-License-Identifier: Apache-2.0
// Reads the pickle that torch's flight recorder writes: lists, maps, texts and numbers. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace muster {

// The pickle as JSON. Tuples become lists. A second reference to a list or map becomes null. nullopt: the text is not a
// pickle, is truncated, contains other values (no code is ever called), or would take more than 64 MiB of memory.
std::optional<std::string> json_of_pickle(std::string_view pickle);

}  // namespace muster
