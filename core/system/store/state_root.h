// SPDX-License-Identifier: Apache-2.0
// The path of a user's state folder. Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace muster {

// $MUSTER_STATE_DIR, else $XDG_STATE_HOME/muster/<machine>, else $HOME/.local/state/muster/<machine>. The machine is part
// of the path because home folders may be shared between machines. `machine_id`: the text of /etc/machine-id, or a host
// name if there is none. invalid_argument: MUSTER_STATE_DIR is not an absolute path, or no variable is set.
Result<std::string> state_root(const std::map<std::string, std::string>& environment, std::string_view machine_id);

}  // namespace muster
