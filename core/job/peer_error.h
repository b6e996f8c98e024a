// Errors that tell of somebody else's death: what gloo, NCCL and torch's store raise in a rank whose peer is gone. Pure.
#pragma once

#include <string_view>

#include "core/job/exit_status.h"

namespace muster {

// Who lost a peer: "gloo", "NCCL", "the store", "MPI"; empty: the rank ended for a reason of its own. By what it said last.
std::string_view peer_error(const ExitStatus& exit);

}  // namespace muster
