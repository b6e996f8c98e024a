// SPDX-License-Identifier: Apache-2.0
#include "core/job/plan/job_node.h"

#include <gtest/gtest.h>

#include "core/job/mpirun/launcher_variables.h"

namespace muster {
namespace {

TEST(JobNode, NodesFromJson_OfTheirText_AreTheSame) {
  const std::vector<JobNode> nodes{{"a1", "10.0.0.1", "localhost", 2, 0, "worker", 3},
                                   {"a2", "10.0.0.2", "", 1, 2, "", 1}};
  const auto read = nodes_from_json(nodes_to_json(nodes));
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(*read, nodes);
}

TEST(JobNode, NodesFromJson_OfAnotherText_IsAnError) {
  for (const char* text : {"", "{}x", "[1]", "[{\"name\":\"a\"}]"})
    EXPECT_EQ(nodes_from_json(text).status().code(), Code::invalid_argument) << text;
}

TEST(JobNode, LauncherNodes_AreThoseOfItsGroupsWithItsSlots) {
  const std::vector<JobNode> nodes{{"a1", "", "", 1, 0, "launcher", 1}, {"a2", "", "", 2, 1, "worker", 1}};
  EXPECT_EQ(*launcher_nodes(nodes, {}), nodes);
  const auto chosen = launcher_nodes(nodes, {{kMpirunGroups, " worker, "}, {kMpirunSlots, "4"}});
  ASSERT_TRUE(chosen.ok()) << chosen.status().message();
  EXPECT_EQ(*chosen, (std::vector<JobNode>{{"a2", "", "", 4, 1, "worker", 1}}));
  EXPECT_EQ(launcher_nodes(nodes, {{kMpirunGroups, "launcher,worker"}})->size(), 2u);
}

TEST(JobNode, LauncherNodes_OfWrongVariables_AreAnError) {
  const std::vector<JobNode> nodes{{"a1", "", "", 1, 0, "launcher", 1}};
  EXPECT_EQ(launcher_nodes(nodes, {{kMpirunGroups, "launcher, wroker"}}).status().message(),
            "MUSTER_MPIRUN_GROUPS names wroker, which is no group of the job that has nodes");
  for (const char* slots : {"0", "many", "4x", "99999999"})
    EXPECT_EQ(launcher_nodes(nodes, {{kMpirunSlots, slots}}).status().code(), Code::invalid_argument) << slots;
}

}  // namespace
}  // namespace muster
