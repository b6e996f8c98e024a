// SPDX-License-Identifier: Apache-2.0
// The progress of a job as text and as a bar. Pure.
#pragma once

#include <string>
#include <vector>

#include "core/client/view/style.h"
#include "core/port/control_messages.h"

namespace muster {

// "12,400 41 %"; "12,400" when the total is unknown.
std::string step_of(const JobProgress& progress);
// "3 h 10 min"; "–" if it is not known.
std::string eta_of(const JobProgress& progress);
// "step 12,400 of 30,000 (41 %) · 1.9 s/step · eta 3 h 10 min · loss 0.412".
std::string progress_sentence(const JobProgress& progress, bool over);
// The last line of a terminal: a bar, and the `history` of the first metric.
std::string progress_line(const JobProgress& progress, const std::vector<double>& history, const Style& style);

// "▁▂▃█": the latest `width` values at most; empty for fewer than two values.
std::string sparkline(const std::vector<double>& values, size_t width);

}  // namespace muster
