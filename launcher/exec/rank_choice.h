// SPDX-License-Identifier: Apache-2.0
// Finds the rank of a job that the user names. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/port/control_messages.h"

namespace muster {

// "3", the number in the rank's name, or "trainer/3", the rank in a group → its index in the plan. Without `rank`: the first rank, of `node` ("2") if that is
// given. not_found: no such rank; the message says what exists. invalid_argument: not a rank, or ambiguous.
Result<uint32_t> chosen_rank(const JobView& job, const std::optional<std::string>& rank,
                             const std::optional<std::string>& node);

// "0,2", "4-7", "trainer/0" → their indices in the plan. A number alone means the rank with this number in its name; if
// groups have worlds of their own, that rank of every group. Never empty.
Result<std::vector<uint32_t>> chosen_ranks(const JobView& job, const std::string& text);

}  // namespace muster
