// SPDX-License-Identifier: Apache-2.0
// RankPhase: the phases of a rank, for state machines, journal, messages and views.
#pragma once

#include <optional>
#include <string_view>

namespace muster {

// In the order in which a rank passes through them. A rank can skip phases.
enum class RankPhase { waiting, starting, running, stopping, exited };

std::string_view to_string(RankPhase phase);

// The phase of this name; std::nullopt: there is none.
std::optional<RankPhase> rank_phase_from(std::string_view name);

}  // namespace muster
