// SPDX-License-Identifier: Apache-2.0
#include "core/job/rank_phase.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

TEST(RankPhase, Name_OfEachPhase_LeadsBackToIt) {
  for (const RankPhase phase :
       {RankPhase::waiting, RankPhase::starting, RankPhase::running, RankPhase::stopping, RankPhase::exited})
    EXPECT_EQ(rank_phase_from(to_string(phase)), phase);
}

TEST(RankPhase, From_UnknownName_IsNone) { EXPECT_EQ(rank_phase_from("asleep"), std::nullopt); }

}  // namespace
}  // namespace muster
