// A job's journal as agents keep it: parts of lines, each packed, one behind the other (JournalPacking). Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace muster::pod {

// Empty where a line of them is longer than anything of ours.
std::string pack_parts(const std::vector<std::string>& lines);

// The lines of all whole parts; what comes behind them is the begin of one that was on its way. data_loss: it is none of these.
Result<std::vector<std::string>> unpack_parts(std::string_view parts);

}  // namespace muster::pod
