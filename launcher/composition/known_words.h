// SPDX-License-Identifier: Apache-2.0
// Words for completion from this machine and the user's state folder (completion/completer.h).
#pragma once

#include "core/client/caller_context.h"
#include "launcher/completion/completer.h"

namespace muster {

// Does not contact or start a controller. `caller` must outlive the result.
LiveWords known_words(const CallerContext& caller);

}  // namespace muster
