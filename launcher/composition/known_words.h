// What this machine and this user's state folder know that may stand in a command line (completion/completer.h).
#pragma once

#include "core/client/caller_context.h"
#include "launcher/completion/completer.h"

namespace muster {

// Asks no controller and starts none. `caller` outlives it.
LiveWords known_words(const CallerContext& caller);

}  // namespace muster
