// Which rank of a job a person means. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/port/control_messages.h"

namespace muster {

// "3", or "trainer/3" where several groups have a rank 3 → its index into the plan. Nothing: the first, of `node` ("2") if that is
// given. not_found names what there is; invalid_argument: no such spelling, or more than one is meant.
Result<uint32_t> chosen_rank(const JobView& job, const std::optional<std::string>& rank,
                             const std::optional<std::string>& node);

// "0,2", "4-7", "trainer/0": their indices into the plan; a number alone means that rank of every group. Never empty.
Result<std::vector<uint32_t>> chosen_ranks(const JobView& job, const std::string& text);

}  // namespace muster
