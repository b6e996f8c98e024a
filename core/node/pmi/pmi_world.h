// SPDX-License-Identifier: Apache-2.0
// What a PMI server must know of the job, the variables of ranks, and the limits of the protocol. Values; pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace muster {

// The limits that MPICH's own server announces, in bytes with the ending zero.
constexpr size_t kPmiNameMost = 256;
constexpr size_t kPmiKeyMost = 64;
constexpr size_t kPmiValueMost = 1024;
// All keys and values of a job.
constexpr size_t kPmiStoreMost = size_t{256} << 20;

struct PmiWorld {
  std::string name;             // of the key-value space, the same on all nodes; new in each attempt
  std::vector<uint32_t> nodes;  // the node of each rank of the world
  std::vector<uint32_t> ranks;  // the ranks of this node, by local rank
  std::vector<uint32_t> apps;   // the number of the program of each rank of this node; empty: 0 for all
  uint32_t size() const { return static_cast<uint32_t>(nodes.size()); }
};

// The variables of a rank. `fd`: the number of its end of the socket, which it inherits.
std::map<std::string, std::string> pmi_environment(const PmiWorld& world, uint32_t local_rank, int fd);

}  // namespace muster
