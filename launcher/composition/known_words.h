// What this machine and this user's state folder know that may stand in a command line (completion/completer.h).
#pragma once

#include "core/client/surroundings.h"
#include "launcher/completion/completer.h"

namespace muster {

// Asks no controller and starts none. `surroundings` outlives it.
LiveWords known_words(const Surroundings& surroundings);

}  // namespace muster
