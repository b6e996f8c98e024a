// SPDX-License-Identifier: Apache-2.0
// Story: runs a plan: jobs are submitted, faults happen and are undone, and then every job must end. The same plan gives the same
// hash.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "test/sim/injector.h"
#include "test/sim/rank_life.h"
#include "test/sim/sim_exchange.h"
#include "test/sim/trace.h"

namespace muster::sim {

struct StoryEnd {
  std::vector<std::string> breaches;
  uint64_t hash = 0;
  Duration simulated{0};  // sum over all hosts
  std::map<FaultKind, uint64_t> faults;
  std::map<std::string, uint64_t> ends;  // states of jobs
  uint64_t launches = 0;
  uint64_t exchanged = 0;  // rounds of MPI services that ended well, each counted by each node
  uint64_t events = 0;     // turns of the loop: messages, timers, process events
};

class Story final : public watch::MachineWatch {
 public:
  // `trace` gets the events; null: no trace.
  explicit Story(const StoryPlan& plan, Trace* trace = nullptr);
  ~Story() override;

  StoryEnd run();

  // The (state, event) pairs of all stories of this program, with their counts.
  static std::map<watch::Pair, uint64_t>& coverage();

 private:
  static WorldOptions options_of(const StoryPlan& plan);
  void add_exchanges();
  void submit(size_t job);
  void submitted(size_t job, const Result<JobView>& view);
  std::string not_done();
  void check_journals();
  void check_end();
  void breach(const std::string& what);

  void stepped(const watch::Pair& pair) override;
  void job_stepped(const watch::JobStep& step) override;
  bool listens() const override { return trace_ != nullptr; }
  void told(const watch::Told& told) override;

  const StoryPlan plan_;
  Trace* trace_;
  Exchanges exchanges_;
  World world_;
  RankLife ranks_;
  Injector injector_;
  std::vector<JobId> ids_;  // by job of the plan; empty: not accepted yet
  std::vector<bool> done_;
  std::vector<JobView> ended_;  // the controller's last views
  std::string refusal_;         // of the last submit that was not accepted
  std::vector<std::string> breaches_;
};

}  // namespace muster::sim
