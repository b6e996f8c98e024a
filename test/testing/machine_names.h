// SPDX-License-Identifier: Apache-2.0
// Numbers and names of the machines' states and events, for coverage. Internal to test/testing.
#pragma once

#include <string>

#include "core/machine/job/job.h"
#include "core/machine/rendezvous/rendezvous.h"
#include "core/machine/worker/worker.h"
#include "test/testing/machine_watch.h"

namespace muster::watch {

Pair pair_of(const job::State& state, const job::Event& event);
Pair pair_of(const worker::State& state, const worker::Event& event);
Pair pair_of(const rendezvous::State& state, const rendezvous::Event& event);

// Events and actions as short texts.
std::string tell(const job::Event& event);
std::string tell(const std::vector<job::Action>& actions);
std::string tell(const worker::Event& event);
std::string tell(const std::vector<worker::Action>& actions);

}  // namespace muster::watch
