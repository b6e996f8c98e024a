// Which rank of a job a person means. Pure.
#pragma once

#include <optional>
#include <string>

#include "core/base/result.h"
#include "core/port/control_messages.h"

namespace muster {

// "3", or "trainer/3" where several groups have a rank 3 → its index into the plan. Nothing: the first, of `node` ("2") if that is
// given. not_found names what there is; invalid_argument: no such spelling, or more than one is meant.
Result<uint32_t> chosen_rank(const JobView& job, const std::optional<std::string>& rank,
                             const std::optional<std::string>& node);

}  // namespace muster
