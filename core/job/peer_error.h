// SPDX-License-Identifier: Apache-2.0
// Recognizes errors that gloo, NCCL, the torch store and MPI raise in a rank because another rank has ended. Pure.
#pragma once

#include <string_view>

#include "core/job/exit_status.h"

namespace muster {

// The library that lost a peer, by the failure message of the rank: "gloo", "NCCL", "the store", "MPI". Empty: the rank
// failed for another reason.
std::string_view peer_error(const ExitStatus& exit);
std::string_view peer_error(std::string_view failure_message);

}  // namespace muster
