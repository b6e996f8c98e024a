// SPDX-License-Identifier: Apache-2.0
// Chooses the network interface of NCCL's sockets: that of the job's address (loopback for a job on one machine) instead of
// the first one that NCCL finds. NCCL reads it from the environment only; NCCL_SOCKET_IFNAME is the only variable that the
// library sets.
#pragma once

#include <string>

namespace muster::worker {

// The interface that has `address` (numeric); "": none, or one that NCCL cannot select (an alias such as eth0:1).
std::string interface_of(const std::string& address);

// The value for NCCL_SOCKET_IFNAME: "=eth0" (exactly this name). "": do not change it, because the user has set
// NCCL_SOCKET_IFNAME, NCCL_COMM_ID or a configuration file of NCCL, or because no interface has the address.
std::string socket_interface_for(const std::string& address);

// Sets the variable on the first call in this process; NCCL reads it only once. Call it before NCCL is initialised and
// starts threads.
void choose_socket_interface(const std::string& address);

}  // namespace muster::worker
