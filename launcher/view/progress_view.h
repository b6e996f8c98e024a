// How far a job is, in words and bars. Pure.
#pragma once

#include <string>
#include <vector>

#include "core/client/view/style.h"
#include "core/port/control_messages.h"

namespace muster {

// "12,400 41 %"; "12,400" when the total is unknown.
std::string step_of(const JobProgress& progress);
// "3 h 10 min"; "–" when nobody can know.
std::string eta_of(const JobProgress& progress);
// "step 12,400 of 30,000 (41 %) · 1.9 s/step · eta 3 h 10 min · loss 0.412".
std::string progress_sentence(const JobProgress& progress, bool over);
// One line for the foot of a terminal: a bar and, of the first metric, how it went (`history`).
std::string progress_line(const JobProgress& progress, const std::vector<double>& history, const Style& style);

// "▁▂▃█": at most `width` values, the latest; nothing for fewer than two.
std::string sparkline(const std::vector<double>& values, size_t width);

}  // namespace muster
