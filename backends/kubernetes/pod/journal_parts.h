// SPDX-License-Identifier: Apache-2.0
// The format in which agents keep a job's journal: concatenated parts, each a packed list of lines (JournalPacking). Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace muster::pod {

// Empty if a line is too long to be one of muster's.
std::string pack_parts(const std::vector<std::string>& lines);

// The lines of all complete parts. An incomplete last part, whose transfer was cut off, is ignored. data_loss: damaged.
Result<std::vector<std::string>> unpack_parts(std::string_view parts);

}  // namespace muster::pod
