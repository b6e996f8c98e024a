// SPDX-License-Identifier: Apache-2.0
// The paths at which a user's state folder may be. Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace muster {

struct StateCandidate {
  std::string path;
  std::string variable;  // the environment variable that names it or the folder above it
  // Other users may write to the folder above, so this one must be made private (make_private_folder).
  bool for_others = false;
};

// In the order of preference. If MUSTER_STATE_DIR is set, it is the only one. Otherwise below XDG_STATE_HOME, HOME, XDG_DATA_HOME and
// XDG_CACHE_HOME, each as NAME/<machine>, then TMPDIR/muster-state-<user>. The machine is part of the path because these folders may
// be shared between machines. Variables that are not set or not absolute paths give none. `machine_id`: the text of
// /etc/machine-id, or a host name if there is none. invalid_argument: MUSTER_STATE_DIR is not an absolute path.
Result<std::vector<StateCandidate>> state_candidates(const std::map<std::string, std::string>& environment,
                                                     std::string_view machine_id, uint32_t user);

}  // namespace muster
