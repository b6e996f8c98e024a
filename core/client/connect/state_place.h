// SPDX-License-Identifier: Apache-2.0
// Chooses the state folder: the first candidate (state_root.h) that can be used, else a folder beside the user's sockets.
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/client/caller_context.h"

namespace muster {

struct StatePlace {
  std::string path;         // absolute
  std::string instead;      // why it is not the usual folder, for people; empty: it is
  bool for_others = false;  // it is in a folder to which other users may write
};

// Creates nothing. A folder that MUSTER_STATE_DIR names is returned even if it cannot be used, because the user chose it.
// invalid_argument: MUSTER_STATE_DIR is not an absolute path.
Result<StatePlace> state_place(const CallerContext& caller);

// A line that says where jobs are kept and why, if the state folder is not the usual one; else empty.
std::string state_remark(const CallerContext& caller);

}  // namespace muster
