// SPDX-License-Identifier: Apache-2.0
#include "test/testing/machine_names.h"

#include <array>

namespace muster::watch {
namespace {

using Names = std::vector<std::string>;

struct Machine {
  std::string name;
  Names states;
  Names events;
};

// In the order of the enumerations and variants. Each timer and each call counts as an event.
const std::array<Machine, 3>& machines() {
  static const std::array<Machine, 3> all{{
      {"job",
       {"queued", "placing", "running", "stopping to retry", "stopping, succeeded", "stopping, failed",
        "stopping, cancelled", "backoff", "done"},
       {"admitted", "node-up", "place-failed", "node-lost", "link-down", "reported", "stop-asked", "timer queue",
        "timer start", "timer run", "timer backoff", "timer stop", "timer last-call", "timer unreachable", "judged"}},
      {"worker",
       {"idle", "starting", "running", "stopping", "exited"},
       {"start", "spawned", "spawn-failed", "exited", "stop", "timer"}},
      {"rendezvous",
       {"unbegun", "open", "taken over", "ended"},
       {"begun", "ended", "channel-lost", "timer", "set", "get", "wait", "add", "compare-and-set", "remove", "list",
        "barrier", "fence"}},
  }};
  return all;
}

uint8_t number(size_t value) { return static_cast<uint8_t>(value); }

}  // namespace

std::string to_text(const Pair& pair) {
  const Machine& machine = machines().at(pair.machine);
  return machine.name + ": " + machine.states.at(pair.state) + " × " + machine.events.at(pair.event);
}

std::vector<Pair> all_pairs() {
  std::vector<Pair> pairs;
  for (uint8_t m = 0; m < machines().size(); ++m) {
    for (uint8_t s = 0; s < machines()[m].states.size(); ++s) {
      for (uint8_t e = 0; e < machines()[m].events.size(); ++e) pairs.push_back({m, s, e});
    }
  }
  return pairs;
}

Pair pair_of(const job::State& state, const job::Event& event) {
  using job::Phase;
  size_t phase = static_cast<size_t>(state.phase);
  if (state.phase == Phase::stopping) phase += static_cast<size_t>(state.then);
  if (state.phase > Phase::stopping) phase += 3;
  // Admitted, NodeUp, PlaceFailed, NodeLost, LinkDown, Reported, then StopAsked and the timers.
  size_t happened = event.index();
  if (std::holds_alternative<job::StopAsked>(event)) happened = 6;
  if (std::holds_alternative<job::Judged>(event)) happened = 14;
  if (const auto* fired = std::get_if<job::TimerFired>(&event)) happened = 7 + static_cast<size_t>(fired->timer);
  return {0, number(phase), number(happened)};
}

Pair pair_of(const worker::State& state, const worker::Event& event) {
  return {1, number(static_cast<size_t>(state.phase)), number(event.index())};
}

Pair pair_of(const rendezvous::State& state, const rendezvous::Event& event) {
  const size_t phase = state.open ? (state.forgetful ? 2 : 1) : (state.attempt == 0 ? 0 : 3);
  if (const auto* asked = std::get_if<rendezvous::Asked>(&event))
    return {2, number(phase), number(4 + static_cast<size_t>(asked->call.kind))};
  return {2, number(phase), number(event.index() - 1)};
}

}  // namespace muster::watch
