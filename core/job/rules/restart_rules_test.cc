// SPDX-License-Identifier: Apache-2.0
#include "core/job/rules/restart_rules.h"

#include <gtest/gtest.h>

#include "core/job/failure_rule.h"

namespace muster {
namespace {

JobSpec two_groups() {
  JobSpec spec;
  spec.groups = {GroupSpec{}, GroupSpec{}};
  spec.groups[0].name = "trainer";
  spec.groups[1].name = "evaluator";
  return spec;
}

std::string found_in(const JobSpec& spec) {
  std::string text;
  for (const Contradiction& each : restart_contradictions(spec))
    text += std::string(each.code) + " " + each.path + (each.meant.empty() ? "" : " " + each.meant) + "\n";
  return text;
}

TEST(RestartRules, NothingIsWrongWithWhatGoesTogether) {
  JobSpec spec = two_groups();
  spec.restarts.limit = 3;
  spec.restarts.window = std::chrono::hours(1);
  spec.restarts.mode = RestartMode::group;
  spec.restarts.never_on = {*parse_failure_rule("group trainer exit 2")};
  spec.restarts.always_on = {*parse_failure_rule("exit 2")};
  EXPECT_EQ(found_in(spec), "");
}

TEST(RestartRules, AGroupThatTheJobDoesNotHave) {
  JobSpec spec = two_groups();
  spec.restarts.never_on = {*parse_failure_rule("oom"), *parse_failure_rule("group traner exit 2")};
  EXPECT_EQ(found_in(spec), "E1315 restarts.never_on.1 group trainer exit 2\n");
}

TEST(RestartRules, OneRuleInBothLists) {
  JobSpec spec = two_groups();
  spec.restarts.never_on = {*parse_failure_rule("message ECC")};
  spec.restarts.always_on = {*parse_failure_rule("lost"), *parse_failure_rule("message ECC")};
  EXPECT_EQ(found_in(spec), "E1302 restarts.always_on.1\n");
}

TEST(RestartRules, ModesAndWindowsThatMeanNothing) {
  JobSpec spec = two_groups();
  spec.restarts.window = std::chrono::hours(1);
  EXPECT_EQ(found_in(spec), "E1316 restarts.window\n");
  spec = two_groups();
  spec.restarts.mode = RestartMode::none;
  EXPECT_EQ(found_in(spec), "");
  spec.restarts.limit = 1;
  EXPECT_EQ(found_in(spec), "E1316 restarts.mode\n");
  spec.restarts.mode = RestartMode::group;
  spec.world = World::shared;
  EXPECT_EQ(found_in(spec), "E1316 restarts.mode\n");
  spec.world = World::own;
  EXPECT_EQ(found_in(spec), "");
  spec.groups[1].max_nodes = spec.groups[1].min_nodes + 1;
  EXPECT_EQ(found_in(spec), "E1316 restarts.mode\n");
}

}  // namespace
}  // namespace muster
