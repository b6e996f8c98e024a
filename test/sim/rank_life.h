// RankLife: what the scripted ranks of a story do: run for a while, fail, refuse to die, write output, and meet at the
// rendezvous. All of it follows from seed, job, attempt and rank, so that leaving a fault out of a story changes
// nothing else.
#pragma once

#include <map>
#include <string>

#include "test/sim/story_plan.h"
#include "test/sim/world.h"

namespace muster::sim {

class RankLife {
 public:
  RankLife(World& world, const StoryPlan& plan) : world_(world), plan_(plan) {}

  Program script(const Launch& launch) const;
  // Told of every process that starts or ends.
  void happened(const std::string& what, ProcessHandle handle, const SimProcesses::Process& process);

  // Bytes that were written and are nowhere any more; empty: all are there.
  std::string lost_output() const;
  // What a rendezvous answered that it may not.
  const std::vector<std::string>& breaches() const { return breaches_; }

 private:
  using Meeting = std::tuple<std::string, Attempt, uint32_t>;  // job, attempt, turn

  Program program_of(const Launch& launch) const;
  bool waits_for_ever(const Launch& launch) const;
  Random random_of(const Launch& launch, uint64_t salt) const;
  const JobPlan& job_of(const Launch& launch) const;
  bool stays(const std::string& path, const std::string& text) const;
  void write(const SimProcesses::Process& process, const std::string& text);
  // The rank's `turn`th call, as long as it lives.
  void call(ProcessHandle handle, uint32_t turn);
  void answered(ProcessHandle handle, uint32_t turn, const RendezvousCall& call, const RendezvousAnswer& answer);

  World& world_;
  const StoryPlan& plan_;
  std::map<std::string, std::string> written_;   // by path
  std::map<Meeting, std::set<uint32_t>> asked_;  // who has come to the barrier or fence of this turn
  std::vector<std::string> breaches_;
};

}  // namespace muster::sim
