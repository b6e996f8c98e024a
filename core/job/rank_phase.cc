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

}  // namespace muster
