// What must hold of a world after every turn (DESIGN.md §8), in true time over all hosts. Breaches are kept as
// sentences, the first few.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "test/sim/sim_processes.h"
#include "test/sim/sim_store.h"
#include "test/testing/machine_watch.h"

namespace muster::sim {

// What an agent may take from the waking of its host to the end of ranks whose lease ended meanwhile.
inline constexpr Duration kWaking = std::chrono::milliseconds(50);

class Invariants {
 public:
  // Nodes are replaced: what a sleeping host holds does not run, and its agent ends it as soon as it wakes.
  void pass_over_sleepers() { passes_over_sleepers_ = true; }

  // A job ended while this node of it was not reached, and said so: what runs there is ended once it is (stories look for what is left).
  void pass_over(const std::string& job, NodeIndex node) { passed_over_.emplace(job, node); }

  // Once the disk has lost what it said it had, nobody can know what was begun: then no more is asked than that jobs
  // end and nothing is left.
  //
  // Never two attempts of a job, or of a group that begins anew by itself, alive, nor a rank twice; ranks of an attempt are 0..n-1, each started once; nothing of
  // a job alive after its end; done is final.
  void check(TimePoint now, const SimProcesses& processes, const SimStore& store);
  // A while after a host woke: what was asleep on it counts again.
  void host_woke(TimePoint now, const SimProcesses& processes, const SimStore& store);
  // At most one restart and one beginning per attempt, and attempts are counted one by one.
  void check(TimePoint now, const watch::JobStep& step);
  void breach(TimePoint now, const std::string& what);
  const std::vector<std::string>& breaches() const { return breaches_; }

 private:
  bool runs(TimePoint now, const SimProcesses::Process& process) const;
  void check_alive(TimePoint now, const SimProcesses& processes);
  void check_ended(TimePoint now, const SimProcesses& processes);
  void check_starts(TimePoint now, const SimProcesses& processes);
  void check_ends(TimePoint now, const SimStore& store);

  bool passes_over_sleepers_ = false;
  std::set<std::pair<std::string, NodeIndex>> passed_over_;  // of jobs, by name
  size_t launches_ = 0;                                      // seen, as store changes
  uint64_t changes_ = 0;
  std::map<std::string, std::string> ended_;                             // job → its last state
  std::set<std::tuple<std::string, Attempt, std::string, Rank>> ranks_;  // ever started
  std::vector<std::string> breaches_;
};

}  // namespace muster::sim
