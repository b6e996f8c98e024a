// Whether an exception ended a rank. Pure.
#pragma once

#include "core/job/exit_status.h"

namespace muster {

// One that nobody caught: `detail` begins with its name.
bool raised(const ExitStatus& exit);

}  // namespace muster
