// SPDX-License-Identifier: Apache-2.0
// MachineWatch: observes every step of the three machines of this program, without changes to them: the state, the event and the
// result. Simulations use it for coverage, traces and invariants of a single step.
//
// There is one watch at a time; it is called in the turn of the step. Steps of a replay are not reported: they happened before.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace muster::watch {

// An event in a state of a machine; printed as "job: running × node-lost".
struct Pair {
  uint8_t machine = 0;
  uint8_t state = 0;
  uint8_t event = 0;
  auto operator<=>(const Pair&) const = default;
};
std::string to_text(const Pair& pair);
std::vector<Pair> all_pairs();

// A step of the job machine in numbers. `seed` identifies the job.
struct JobStep {
  uint64_t seed = 0;
  uint32_t attempt_before = 0;
  uint32_t attempt_after = 0;
  uint32_t restarts_before = 0;
  uint32_t restarts_after = 0;
  uint32_t begins = 0;  // attempts that its actions begin
  uint32_t gangs = 1;   // gangs of the job
  bool finishes = false;
  std::vector<uint32_t> left;  // nodes that are unreachable when the job finishes: their processes are ended later
};

// A step as text. Created only if listens() is true.
struct Told {
  std::string machine;
  std::string event;
  std::string actions;
  std::string sentence;
  uint64_t seed = 0;  // of the job
};

class MachineWatch {
 public:
  virtual ~MachineWatch() = default;
  virtual void stepped(const Pair& pair) = 0;
  virtual void job_stepped(const JobStep& step) = 0;
  virtual bool listens() const = 0;
  virtual void told(const Told& told) = 0;
};

// Sets the watch; null: none.
void set_watch(MachineWatch* watch);

}  // namespace muster::watch
