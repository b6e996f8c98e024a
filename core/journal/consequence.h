// What a rank came to because another had failed, in words. Pure.
#pragma once

#include <string>

#include "core/job/exit_status.h"

namespace muster {

// "rank 0 was stopped because of it", "rank 2 lost its connection to it (gloo)", "rank 3 raised the same". `culprit`: how the
// first failure ended.
std::string consequence_of(const std::string& name, const ExitStatus& exit, const ExitStatus& culprit);

}  // namespace muster
