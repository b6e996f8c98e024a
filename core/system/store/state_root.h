// Where a user's state lies. Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace muster {

// $MUSTER_STATE_DIR; else $XDG_STATE_HOME/muster/<machine>, else $HOME/.local/state/muster/<machine>: homes are
// shared between machines, and a job's processes are not. `machine_id` is the text of /etc/machine-id, or a host
// name where there is none. Fails with invalid_argument when the first is no absolute path, failed_precondition
// when none is set.
Result<std::string> state_root(const std::map<std::string, std::string>& environment, std::string_view machine_id);

}  // namespace muster
