// SPDX-License-Identifier: Apache-2.0
// RankLife: the behaviour of the scripted ranks of a story: they run for some time, fail, ignore signals, write output, and call the
// rendezvous. All of it depends only on seed, job, attempt and rank, so that removing a fault from a story changes nothing
// else.
#pragma once

#include <map>
#include <string>

#include "test/sim/story_plan.h"
#include "test/sim/world.h"

namespace muster::sim {

// A seed that depends on the text too.
uint64_t mixed(uint64_t seed, const std::string& text);

class RankLife {
 public:
  RankLife(World& world, const StoryPlan& plan) : world_(world), plan_(plan) {}

  Program script(const Launch& launch) const;
  // Called for every process that starts or ends.
  void happened(const std::string& what, ProcessHandle handle, const SimProcesses::Process& process);

  // The file of which written bytes are lost; empty: none.
  std::string lost_output() const;
  // Forbidden answers of a rendezvous.
  const std::vector<std::string>& breaches() const { return breaches_; }

 private:
  using Meeting = std::tuple<std::string, Attempt, uint32_t>;  // job, attempt, turn

  Program program_of(const Launch& launch) const;
  bool waits_for_ever(const Launch& launch) const;
  Random random_of(const Launch& launch, uint64_t salt) const;
  const JobPlan& job_of(const Launch& launch) const;
  bool stays(const std::string& path, const std::string& text) const;
  void write(const SimProcesses::Process& process, const std::string& text);
  // Makes the rank's `turn`-th call, if the rank is alive.
  void call(ProcessHandle handle, uint32_t turn);
  void answered(ProcessHandle handle, uint32_t turn, const RendezvousCall& call, const RendezvousAnswer& answer);

  World& world_;
  const StoryPlan& plan_;
  std::map<std::string, std::string> written_;   // by path
  std::map<Meeting, std::set<uint32_t>> asked_;  // ranks that called the barrier or fence of this turn
  std::vector<std::string> breaches_;
};

}  // namespace muster::sim
