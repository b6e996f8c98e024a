// SPDX-License-Identifier: Apache-2.0
// Recognizes ranks that an uncaught exception ended. Pure.
#pragma once

#include "core/job/exit_status.h"

namespace muster {

// True: an uncaught exception ended the rank, and `detail` begins with its name.
bool raised(const ExitStatus& exit);

}  // namespace muster
