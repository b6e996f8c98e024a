// What must hold of a world after every turn (DESIGN.md §8). Breaches are kept as sentences, the first few.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "test/sim/sim_processes.h"
#include "test/sim/sim_store.h"

namespace muster::sim {

class Invariants {
 public:
  // Never two attempts of a job alive; a rank of an attempt once; nothing of a job alive after its end; done is final.
  void check(TimePoint now, const SimProcesses& processes, const SimStore& store);
  const std::vector<std::string>& breaches() const { return breaches_; }

 private:
  void breach(TimePoint now, const std::string& what);
  void check_attempts(TimePoint now, const SimProcesses& processes);
  void check_starts(TimePoint now, const SimProcesses& processes);
  void check_ends(TimePoint now, const SimStore& store);

  size_t launches_ = 0;  // seen, as store changes
  uint64_t changes_ = 0;
  std::map<std::string, std::string> ended_;  // job → its last state
  std::vector<std::string> breaches_;
};

}  // namespace muster::sim
