// SPDX-License-Identifier: Apache-2.0
#include "core/job/mpirun/rank_only.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

using Environment = std::map<std::string, std::string>;

// Of a rank: its JAX_PROCESS_ID and OMP_NUM_THREADS are from muster.
Environment environment_of_rank() {
  Environment environment{{"PATH", "/bin"}, {"OMP_NUM_THREADS", "1"}, {"JAX_PROCESS_ID", "3"}, {"TF_CONFIG", "{}"}};
  environment[kRankOnly] = rank_only_text({"OMP_NUM_THREADS", "JAX_PROCESS_ID"}, environment);
  return environment;
}

Environment inside(Environment environment) {
  remove_outer_variables(environment);
  return environment;
}

TEST(RankOnly, VariablesThatMusterHasSet_DoNotReachRanksInside) {
  EXPECT_EQ(inside(environment_of_rank()), (Environment{{"PATH", "/bin"}, {"TF_CONFIG", "{}"}}));
}

TEST(RankOnly, AVariableThatTheScriptHasChanged_ReachesRanksInside) {
  Environment changed = environment_of_rank();
  changed["OMP_NUM_THREADS"] = "4";
  EXPECT_EQ(inside(changed), (Environment{{"PATH", "/bin"}, {"OMP_NUM_THREADS", "4"}, {"TF_CONFIG", "{}"}}));
  changed.erase("OMP_NUM_THREADS");
  EXPECT_EQ(inside(changed), (Environment{{"PATH", "/bin"}, {"TF_CONFIG", "{}"}}));
}

TEST(RankOnly, OutsideAJob_OnlyVariablesOfLaunchersAreRemoved) {
  EXPECT_EQ(inside({{"OMP_NUM_THREADS", "1"}, {"PMI_RANK", "0"}}), (Environment{{"OMP_NUM_THREADS", "1"}}));
}

TEST(RankOnly, TheSocketOfTheAgent_DoesNotReachRanksInside) {
  EXPECT_EQ(inside({{"MUSTER_SOCKET", "/tmp/s"}, {"MUSTER_PROGRAM", "/bin/m"}}),
            (Environment{{"MUSTER_PROGRAM", "/bin/m"}}));
}

TEST(RankOnly, TextWithStrangeEntries_RemovesNothing) {
  for (const char* text : {"", ",", "=", "A", "A=,A=x", "A=af63ac4"})
    EXPECT_EQ(inside({{kRankOnly, text}, {"A", "1"}}), (Environment{{"A", "1"}})) << text;
}

TEST(RankOnlyText, WithoutNames_IsEmpty) {
  EXPECT_EQ(rank_only_text({}, {{"A", "1"}}), "");
  EXPECT_EQ(rank_only_text({"B", "PMI_FD"}, {{"A", "1"}, {"PMI_FD", "3"}}), "") << "removed in any case";
}

}  // namespace
}  // namespace muster
