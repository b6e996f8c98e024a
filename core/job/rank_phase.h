// The phases of a rank's life, for every part that speaks of them: machines, journal, wire and views.
#pragma once

#include <string_view>

namespace muster {

// In the order in which a rank passes through them; it may skip some.
enum class RankPhase { waiting, starting, running, stopping, exited };

std::string_view to_string(RankPhase phase);

}  // namespace muster
