// SPDX-License-Identifier: Apache-2.0
// Asks NCCL's RAS, a thread in each process that uses NCCL; it knows all processes of its job. Any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace muster {

// The problems that the RAS at `address` (NCCL_RAS_ADDR) reports for the job of process `pid` (in its own pid namespace). Empty:
// no problems, no listener, or a listener of another job. NCCL before 2.28.7 does not report its job: then only an address that no
// other job has is used, which is any in 127.0.0.0/8 except the default one. `patience`: the longest time to wait for processes
// that do not answer.
std::vector<std::string> ask_ras(const std::string& address, int64_t pid,
                                 std::chrono::milliseconds patience = std::chrono::seconds(5));

}  // namespace muster
