// SPDX-License-Identifier: Apache-2.0
// Claim: the GPUs, CPUs and memory of one machine that a job or another process holds. Values; pure.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "core/job/plan/plan.h"

namespace muster {

struct Claim {
  std::set<std::string> gpus;  // by UUID
  std::set<uint32_t> cpus;     // by kernel number; ranks that are not bound have none
  uint64_t memory_bytes = 0;
  uint64_t slots = 0;  // only of hosts for which the user set slots
  bool empty() const { return gpus.empty() && cpus.empty() && memory_bytes == 0 && slots == 0; }
  bool operator==(const Claim&) const = default;
};

// A claim and its holder. `who` is the name of the holder in sentences: "llm-eval", "bob's python, pid 811,".
struct Holder {
  std::string who;
  Claim claim;
  bool foreign = false;  // a process outside muster that computes on these GPUs
  std::string job;       // the id of the job, if a muster reported it
  // For jobs on several machines: the name for ssh, and an identity that is the same for all names of a machine.
  std::string host;
  std::string machine;
  bool operator==(const Holder&) const = default;
};

// The amounts that a job needs, of any devices.
struct Needs {
  size_t gpus = 0;
  size_t cpus = 0;
  uint64_t memory_bytes = 0;
  uint64_t slots = 0;
  bool empty() const { return gpus == 0 && cpus == 0 && memory_bytes == 0 && slots == 0; }
  bool operator==(const Needs&) const = default;
};

// Without slots, because a plan does not contain them.
Claim claim_of(const Plan& plan);
Needs needs_of(const Plan& plan);
void add_to(Claim& claim, const PlannedRank& rank);
void add_to(Needs& needs, const PlannedRank& rank);

// The machine without the devices and memory of the holders.
Inventory without(Inventory machine, const std::vector<Holder>& holders);

bool fits(const Needs& needs, const Inventory& free);

// The resource that `free` lacks, and its holders: "2 GPUs: llm-eval holds 0, 1". `machine`: the part of the machine
// that the job may use; holders that have nothing of it are not named. `where` follows the resource: " on a1".
std::string shortage(const Needs& needs, const Inventory& machine, const Inventory& free,
                     const std::vector<Holder>& holders, const std::string& where = "");

}  // namespace muster
