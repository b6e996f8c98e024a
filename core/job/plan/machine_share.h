// SPDX-License-Identifier: Apache-2.0
// Holders of a machine's resources: jobs of any user's muster, which announce their claims, and processes outside
// muster that compute on GPUs. Values; pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/job/plan/claim.h"

namespace muster {

// A process that computes on a GPU, whoever started it. Processes that only use it for graphics (a display server) and
// the MPS server do not count.
struct GpuUser {
  std::string gpu;  // UUID
  int64_t pid = 0;
  std::string user;
  std::string program;  // its short name; empty: it is not visible, for example from inside a container
  bool operator==(const GpuUser&) const = default;
};

// The resources of this machine that a job of any user's muster holds. Controllers announce the whole job, agents their
// node.
struct MachineShare {
  std::string job;  // its id
  std::string name;
  std::string user;   // the owner of the announcing process, as the kernel reports it
  int64_t pid = 0;    // of the announcing process
  bool whole = true;  // false: of one node
  Claim claim;
  bool operator==(const MachineShare&) const = default;
};

// "bob's job llm, pid 4711,"
std::string name_of(const MachineShare& share);

std::vector<Holder> holders_of(const std::vector<MachineShare>& told);

// The users of GPUs that no muster has announced. If a muster has announced a GPU, the processes on it are its ranks.
std::vector<Holder> strangers_on(const std::vector<GpuUser>& users, const std::vector<MachineShare>& told);

}  // namespace muster
