// A job's journal as agents keep it (JournalPacking): for a coordinator whose pod comes in place of another, with nothing but
// what they tell. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace muster::pod {

// Empty where it would be more than 8 MiB.
std::string pack_journal(const std::vector<std::string>& lines);

// data_loss: it is none of these.
Result<std::vector<std::string>> unpack_journal(std::string_view packed);

}  // namespace muster::pod
