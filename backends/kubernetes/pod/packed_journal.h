// SPDX-License-Identifier: Apache-2.0
// Packs a job's journal for agents to keep (JournalPacking). A coordinator in a replacement pod reads it back from the agents. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace muster::pod {

// Empty if the result were larger than 8 MiB.
std::string pack_journal(const std::vector<std::string>& lines);

// data_loss: damaged.
Result<std::vector<std::string>> unpack_journal(std::string_view packed);

}  // namespace muster::pod
