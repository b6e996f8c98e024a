// On which interface NCCL has its sockets: that of the job's address, so that its bootstrap is bound where the job is,
// on loopback for a job of one machine, and not at whatever interface NCCL finds first. NCCL takes it from the
// environment only, so this is the one variable the library sets.
#pragma once

#include <string>

namespace muster::worker {

// The interface that carries `address` (numeric); "": none does, or one that NCCL cannot name (an alias, eth0:1).
std::string interface_of(const std::string& address);

// What NCCL_SOCKET_IFNAME is to be: "=eth0", of that name and no other that begins so. "": as it is, since the user
// chose by NCCL_SOCKET_IFNAME, NCCL_COMM_ID or a file of NCCL's, or since no interface carries the address.
std::string socket_interface_for(const std::string& address);

// Sets it, on the first call in this process; NCCL reads it but once. To be called before NCCL is initialised, where it
// starts its threads.
void choose_socket_interface(const std::string& address);

}  // namespace muster::worker
