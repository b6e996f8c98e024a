// MachineWatch: sees every step of the three machines of this program, without their knowing: which event met which
// state, and what came of it. For simulations: coverage, traces, and what must hold of a single step.
//
// One watch at a time, told in the turn of the step. Steps of a replay are not told: they happened before.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace muster::watch {

// An event that met a machine in a state; printed "job: running × node-lost".
struct Pair {
  uint8_t machine = 0;
  uint8_t state = 0;
  uint8_t event = 0;
  auto operator<=>(const Pair&) const = default;
};
std::string to_text(const Pair& pair);
std::vector<Pair> all_pairs();

// A step of the job machine in numbers. `seed` tells jobs apart.
struct JobStep {
  uint64_t seed = 0;
  uint32_t attempt_before = 0;
  uint32_t attempt_after = 0;
  uint32_t restarts_before = 0;
  uint32_t restarts_after = 0;
  uint32_t begins = 0;  // of attempts, by its actions
  uint32_t gangs = 1;   // that begin anew by themselves
  bool finishes = false;
  std::vector<uint32_t> left;  // nodes that are not reached while it finishes: what runs there is ended later
};

// A step for people. Made only for who asks.
struct Told {
  std::string machine;
  std::string event;
  std::string actions;
  std::string sentence;
  uint64_t seed = 0;  // of a job
};

class MachineWatch {
 public:
  virtual ~MachineWatch() = default;
  virtual void stepped(const Pair& pair) = 0;
  virtual void job_stepped(const JobStep& step) = 0;
  virtual bool listens() const = 0;
  virtual void told(const Told& told) = 0;
};

// Null: nobody watches any more.
void set_watch(MachineWatch* watch);

}  // namespace muster::watch
