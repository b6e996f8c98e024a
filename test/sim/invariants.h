// SPDX-License-Identifier: Apache-2.0
// Checks the invariants of a world after every turn (docs/design/job-machine.md), in true time over all hosts. It keeps the first
// few breaches as sentences.
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

// Time from the wake-up of a host until its agent must have ended ranks whose lease expired meanwhile.
inline constexpr Duration kWaking = std::chrono::milliseconds(50);

class Invariants {
 public:
  // For worlds that replace nodes: processes of a sleeping host do not run, and its agent ends them when it wakes up.
  void ignore_sleeping_hosts() { ignores_sleeping_hosts_ = true; }

  // A job ended while this node was unreachable, and its sentence said so: processes there end later. Stories check that none
  // remains.
  void ignore_node(const std::string& job, NodeIndex node) { ignored_nodes_.emplace(job, node); }

  // The invariants: at most one attempt of a job, or of a group that restarts by itself, is alive; no rank is alive twice; the ranks
  // of an attempt are 0..n-1, each started once; no process of a job is alive after its end; done is final; the environment file of
  // a job that has ended is empty.
  //
  // If the disk has lost synced lines, the controller cannot know what was begun. Then only this is checked: jobs end, and nothing
  // is left.
  void check(TimePoint now, const SimProcesses& processes, const SimStore& store);
  // Call it some time after a host woke up: its processes count again.
  void host_woke(TimePoint now, const SimProcesses& processes, const SimStore& store);
  // At most one restart and one begin per attempt, and attempt numbers increase by one.
  void check(TimePoint now, const watch::JobStep& step);
  void breach(TimePoint now, const std::string& what);
  const std::vector<std::string>& breaches() const { return breaches_; }

 private:
  bool runs(TimePoint now, const SimProcesses::Process& process) const;
  void check_alive(TimePoint now, const SimProcesses& processes);
  void check_ended(TimePoint now, const SimProcesses& processes);
  void check_starts(TimePoint now, const SimProcesses& processes);
  void check_ends(TimePoint now, const SimStore& store);

  bool ignores_sleeping_hosts_ = false;
  std::set<std::pair<std::string, NodeIndex>> ignored_nodes_;  // by name of the job
  size_t launches_ = 0;                                        // checked so far, as are store changes
  uint64_t changes_ = 0;
  std::map<std::string, std::string> ended_;                             // job → its last state
  std::set<std::tuple<std::string, Attempt, std::string, Rank>> ranks_;  // ever started
  std::vector<std::string> breaches_;
};

}  // namespace muster::sim
