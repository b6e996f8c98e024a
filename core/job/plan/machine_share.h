// Who has some of a machine: jobs of anybody's muster, as they tell, and processes outside of it that compute on its GPUs.
// Values; pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/job/plan/claim.h"

namespace muster {

// A process that computes on a GPU, whoever started it. Who only draws there (a display server) is none, nor is what
// shares a GPU out (the server of MPS).
struct GpuUser {
  std::string gpu;  // UUID
  int64_t pid = 0;
  std::string user;
  std::string program;  // its short name; empty: nobody here can see it, as from inside a container
  bool operator==(const GpuUser&) const = default;
};

// What a job of any user's muster has of this machine. Told by controllers for the whole job, by agents for their node.
struct MachineShare {
  std::string job;  // its id
  std::string name;
  std::string user;   // who told it: the kernel's word, not theirs
  int64_t pid = 0;    // of who tells it
  bool whole = true;  // false: of one node
  Claim claim;
  bool operator==(const MachineShare&) const = default;
};

// "bob's job llm, pid 4711,"
std::string name_of(const MachineShare& share);

std::vector<Holder> holders_of(const std::vector<MachineShare>& told);

// A GPU that somebody's muster has told of is that job's; what computes there is its ranks.
std::vector<Holder> strangers_on(const std::vector<GpuUser>& users, const std::vector<MachineShare>& told);

}  // namespace muster
