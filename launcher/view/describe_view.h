// `muster describe`: one job on one screen. Pure.
#pragma once

#include <string>

#include "core/client/view/style.h"
#include "core/port/control_messages.h"

namespace muster {

// `disk_bytes`: that it takes here; 0: none, or not known.
std::string describe_view(const JobView& job, const Style& style, uint64_t disk_bytes = 0);

// What a person calls the first failure of an attempt: "rank 1 raised RuntimeError …"; "–" when it had none.
std::string failure_of(const JobView& job, const AttemptView& attempt);

// From when all its ranks ran, or else its placing, to its end; "–" while it lives.
std::string lifetime_of(const AttemptView& attempt);

}  // namespace muster
