// Where a user's muster keeps its things on this machine.
#pragma once

#include <string>

#include "core/base/result.h"
#include "launcher/surroundings.h"

namespace muster {

struct WirePaths {
  std::string state;    // the state folder
  std::string runtime;  // 0700, ours: sockets
  std::string socket;   // the controller's, one per state folder
};

// Makes the runtime folder, and refuses one that is not ours alone; the state folder is only named.
Result<WirePaths> wire_paths(const Surroundings& surroundings);

}  // namespace muster
