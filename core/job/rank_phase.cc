// SPDX-License-Identifier: Apache-2.0
#include "core/job/rank_phase.h"

namespace muster {

std::string_view to_string(RankPhase phase) {
  switch (phase) {
    case RankPhase::waiting: return "waiting";
    case RankPhase::starting: return "starting";
    case RankPhase::running: return "running";
    case RankPhase::stopping: return "stopping";
    case RankPhase::exited: return "exited";
  }
  return "exited";
}

std::optional<RankPhase> rank_phase_from(std::string_view name) {
  for (int i = 0; i <= static_cast<int>(RankPhase::exited); ++i) {
    if (to_string(static_cast<RankPhase>(i)) == name) return static_cast<RankPhase>(i);
  }
  return std::nullopt;
}

}  // namespace muster
