// Words of a command line, as text: how a shell reads them back, and the numbers and ranks that flags take. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace muster {

// `words` as a shell reads them back.
std::string shell_line(const std::vector<std::string>& words);

// "-n,--workers" → "-n" where that was typed (flags_of), else "--workers".
std::string name_as_typed(const std::string& names, const std::vector<std::string>& typed);

// "4" → 4. `flag` names the place in the message: "-n wants a number from 1, not `four`".
Result<uint64_t> parse_number(const std::string& flag, const std::string& text, uint64_t least = 0);

// "0,2,5-7" → {0,2,5,6,7}; at most 65,536 of them.
Result<std::vector<uint32_t>> parse_ranks(const std::string& flag, const std::string& text);

}  // namespace muster
