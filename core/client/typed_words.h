// SPDX-License-Identifier: Apache-2.0
// Parses the numbers and ranks that flags of a command line take. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace muster {

// "-n,--workers" → "-n" if the user typed that (`typed`: words of the command line), else "--workers".
std::string name_as_typed(const std::string& names, const std::vector<std::string>& typed);

// "4" → 4. `flag` is the flag's name for the message: "-n needs a number of at least 1, not `four`".
Result<uint64_t> parse_number(const std::string& flag, const std::string& text, uint64_t least = 0);

// "0,2,5-7" → {0,2,5,6,7}; at most 65,536 of them.
Result<std::vector<uint32_t>> parse_ranks(const std::string& flag, const std::string& text);

}  // namespace muster
