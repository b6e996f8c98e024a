// SPDX-License-Identifier: Apache-2.0
// `muster why`: the reason in one sentence, the attempts, the evidence, what to try. Pure.
#pragma once

#include <string>

#include "core/client/view/style.h"
#include "core/port/control_messages.h"

namespace muster {

// `silent`: the rank that failed first, or with no such rank the whole attempt, printed nothing, so its output is no evidence.
std::string why_view(const JobView& job, const Style& style, bool silent = false);

// The job as in json.h, with the member `why`: sentence, notes, consequences, evidence and what to try.
std::string why_json(const JobView& job, const Style& style);

}  // namespace muster
