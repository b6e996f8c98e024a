// SPDX-License-Identifier: Apache-2.0
#include "core/coordinator/live_view.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

class SetupUnderWay : public testing::Test {
 protected:
  void add(SetupPhase phase, const std::string& doing) {
    const auto index = static_cast<NodeIndex>(plan_.nodes.size());
    plan_.nodes.push_back({index, 0, "node-" + std::to_string(index), {index}});
    nodes_.get(index).report.setup.phase = phase;
    nodes_.get(index).report.setup.doing = doing;
  }

  Plan plan_;
  AgentNodes nodes_{1};
};

TEST_F(SetupUnderWay, NoNodeIsBusy_IsEmpty) {
  add(SetupPhase::done, "");
  EXPECT_EQ(setup_under_way(plan_, nodes_), "");
}

TEST_F(SetupUnderWay, SomeNodesRunSetup_NamesThem) {
  add(SetupPhase::running, "uv sync");
  add(SetupPhase::done, "");
  add(SetupPhase::devices, "another job's processes end");
  EXPECT_EQ(setup_under_way(plan_, nodes_), "setup on node-0: uv sync");
}

TEST_F(SetupUnderWay, OnlyDevicesAreWaitedFor_TellsOfGpus) {
  add(SetupPhase::devices, "a process\n of eve");
  EXPECT_EQ(setup_under_way(plan_, nodes_), "its GPUs on node-0: a process\\x0a of eve");
}

TEST_F(SetupUnderWay, ManyNodes_AreNotNamed) {
  for (int i = 0; i < 5; ++i) add(SetupPhase::running, "uv sync");
  EXPECT_EQ(setup_under_way(plan_, nodes_), "setup on its hosts: uv sync");
}

TEST(KnownNodes, Known_AgentThatWasReplaced_IsRemembered) {
  AgentNodes nodes(3);
  nodes.know(11, 0);
  nodes.know(12, 0);
  EXPECT_EQ(nodes.known(11), 0u);
  EXPECT_EQ(nodes.known(13), std::nullopt);
}

TEST(KnownNodes, BeatsBetweenLevels_Proxy_IsEveryBeat) {
  AgentNodes nodes(3);
  EXPECT_EQ(nodes.beats_between_levels(nodes.get(0)), 3u);
  nodes.get(0).proxy = true;
  EXPECT_EQ(nodes.beats_between_levels(nodes.get(0)), 1u);
}

}  // namespace
}  // namespace muster
