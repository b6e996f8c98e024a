// `muster why`: one sentence, the attempts, where to look, what to try. Pure.
#pragma once

#include <string>

#include "core/client/view/style.h"
#include "core/port/control_messages.h"

namespace muster {

std::string why_view(const JobView& job, const Style& style);

// The job as in json.h, with the same answer as `why`: sentence, notes, consequences, evidence and what to try, as they are.
std::string why_json(const JobView& job, const Style& style);

}  // namespace muster
