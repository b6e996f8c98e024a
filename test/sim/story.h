// Story: a plan played out: jobs are submitted, faults happen, all is healed, and every job must end. The same plan
// gives the same hash.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "test/sim/injector.h"
#include "test/sim/rank_life.h"
#include "test/sim/trace.h"

namespace muster::sim {

struct StoryEnd {
  std::vector<std::string> breaches;
  uint64_t hash = 0;
  Duration simulated{0};  // over all hosts: what swarms add up
  std::map<FaultKind, uint64_t> faults;
  std::map<std::string, uint64_t> ends;  // states of jobs
  uint64_t launches = 0;
  uint64_t events = 0;  // turns of the loop: a message, a timer, a process that did something
};

class Story final : public watch::MachineWatch {
 public:
  // `trace`: gets what happens; null: nobody reads it.
  explicit Story(const StoryPlan& plan, Trace* trace = nullptr);
  ~Story() override;

  StoryEnd unfold();

  // Every (state, event) pair met, by all stories of this program.
  static std::map<watch::Pair, uint64_t>& coverage();

 private:
  static WorldOptions options_of(const StoryPlan& plan);
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
  World world_;
  RankLife ranks_;
  Injector injector_;
  std::vector<JobId> ids_;  // by job of the plan; empty: not accepted yet
  std::vector<bool> done_;
  std::vector<JobView> ended_;  // as the controller told it
  std::string refusal_;         // of the last submit that was not accepted
  std::vector<std::string> breaches_;
};

}  // namespace muster::sim
