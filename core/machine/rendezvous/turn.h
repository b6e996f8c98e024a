// SPDX-License-Identifier: Apache-2.0
// Turn: the state and the actions of one step of the rendezvous machine. Internal to core/machine/rendezvous.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/machine/rendezvous/rendezvous.h"

namespace muster::rendezvous {

struct Turn {
  State& state;
  TimePoint now;
  std::vector<Action> actions;
};

inline void answer(Turn& turn, std::vector<Asker> askers, RendezvousAnswer text) {
  if (!askers.empty()) turn.actions.emplace_back(Answer{std::move(askers), std::move(text)});
}
inline void answer(Turn& turn, Asker asker, Status status) {
  answer(turn, std::vector<Asker>{asker}, RendezvousAnswer{std::move(status), {}, {}});
}

}  // namespace muster::rendezvous
