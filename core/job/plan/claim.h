// Claim: what a job, or anybody else, has of one machine: devices by name, and bytes. Values; pure.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "core/job/plan/plan.h"

namespace muster {

struct Claim {
  std::set<std::string> gpus;  // by UUID
  std::set<uint32_t> cpus;     // by kernel number; ranks that are bound to none have none
  uint64_t memory_bytes = 0;
  uint64_t slots = 0;  // of a host where the user counted them
  bool empty() const { return gpus.empty() && cpus.empty() && memory_bytes == 0 && slots == 0; }
  bool operator==(const Claim&) const = default;
};

// Who has it, as a sentence names them: "llm-eval", "bob's python, pid 811,".
struct Holder {
  std::string who;
  Claim claim;
  bool foreign = false;  // a process outside muster, which computes on those GPUs
  std::string job;       // its id, of one that a muster told of
  // Where, if not on the one machine there is: as ssh is given it, and alike for all names of one machine.
  std::string host;
  std::string machine;
  bool operator==(const Holder&) const = default;
};

// How much a job needs, whichever devices it gets.
struct Needs {
  size_t gpus = 0;
  size_t cpus = 0;
  uint64_t memory_bytes = 0;
  uint64_t slots = 0;
  bool empty() const { return gpus == 0 && cpus == 0 && memory_bytes == 0 && slots == 0; }
  bool operator==(const Needs&) const = default;
};

// Without slots, which a plan does not know.
Claim claim_of(const Plan& plan);
Needs needs_of(const Plan& plan);
void add_to(Claim& claim, const PlannedRank& rank);
void add_to(Needs& needs, const PlannedRank& rank);

// What is left of the machine beside those who hold some of it.
Inventory without(Inventory machine, const std::vector<Holder>& holders);

bool fits(const Needs& needs, const Inventory& free);

// What a job waits for that does not fit into `free`, and who has it: "2 GPUs: llm-eval holds 0, 1". `machine`: what the
// job may have of it; who holds none of that is not named. `where`: behind what is short: " on a1".
std::string shortage(const Needs& needs, const Inventory& machine, const Inventory& free,
                     const std::vector<Holder>& holders, const std::string& where = "");

}  // namespace muster
