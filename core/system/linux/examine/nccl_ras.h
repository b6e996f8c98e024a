// Asks NCCL's RAS, which runs in a thread of each process that uses NCCL and knows of all of their job. Any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace muster {

// What is not as it should be, by who listens at `address` (NCCL_RAS_ADDR) on behalf of the job of process `pid`, by the number that
// it has for itself. Empty: nobody listens, somebody of another job does, or all is well. Before NCCL 2.28.7 nobody can say of which
// job he is: then only an address that no other job has is believed, any of 127.0.0.0/8 but the usual one. `patience`: the longest that it takes, where
// processes do not answer.
std::vector<std::string> ask_ras(const std::string& address, int64_t pid,
                                 std::chrono::milliseconds patience = std::chrono::seconds(5));

}  // namespace muster
