// SPDX-License-Identifier: Apache-2.0
// Recognizes ranks that an uncaught exception ended. Pure.
#pragma once

#include <string_view>

#include "core/job/exit_status.h"

namespace muster {

// True: an uncaught exception ended the rank, and `detail` begins with its name.
bool raised(const ExitStatus& exit);

// Whether `trace` has the traceback of an exception. The output of faulthandler after a crash is none.
bool has_traceback(std::string_view trace);

}  // namespace muster
