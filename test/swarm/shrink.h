// SPDX-License-Identifier: Apache-2.0
// Shrinks a failing plan to a minimal one that still fails (delta debugging, Zeller and Hildebrandt 2002).
#pragma once

#include <functional>

#include "test/swarm/cut.h"

namespace muster::sim {

// `fails`: true if the plan still fails after a cut. The uncut plan must fail.
Cut shrink(const StoryPlan& plan, const std::function<bool(const Cut&)>& fails);

}  // namespace muster::sim
