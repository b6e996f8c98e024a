// Shrinking a plan that goes wrong to one as small as can be that still does (delta debugging, Zeller and Hildebrandt
// 2002).
#pragma once

#include <functional>

#include "test/swarm/cut.h"

namespace muster::sim {

// `fails`: whether what is left after a cut still goes wrong. The plan as it is must.
Cut shrink(const StoryPlan& plan, const std::function<bool(const Cut&)>& fails);

}  // namespace muster::sim
