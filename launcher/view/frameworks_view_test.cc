// SPDX-License-Identifier: Apache-2.0
#include "launcher/view/frameworks_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "launcher/view/plan_view.h"

namespace muster {
namespace {

using testing::HasSubstr;
using Names = std::set<std::string>;

// The variables that ranks get on each backend, from test/golden/ranks (core/agent/rank_variables_test.cc). Only those on this machine
// with `here`.
Names variables_of_ranks(Framework framework, bool here) {
  std::ifstream golden(std::string(MUSTER_SOURCE_DIR "/test/golden/ranks/") + std::string(to_string(framework)) +
                       ".txt");
  Names names;
  for (std::string line; std::getline(golden, line) && !(here && line.empty());) {
    if (!line.starts_with("  ") || line.starts_with("  MY_")) continue;  // MY_: templates of the job
    const std::string name = line.substr(2, line.find('=') - 2);
    names.insert(name.starts_with("file ") ? name.substr(5) : name);
  }
  EXPECT_FALSE(names.empty()) << to_string(framework);
  return names;
}

TEST(FrameworksView, EveryVariableOfARank_IsExplained) {
  for (const Framework framework : all_frameworks()) {
    const std::string text = framework_text(framework_info(framework), Style());
    for (const std::string& name : variables_of_ranks(framework, false))
      EXPECT_THAT(text, HasSubstr("\n  " + name + " ")) << to_string(framework);
  }
}

TEST(FrameworksView, EveryVariableOfARankHere_IsRendered) {
  for (const Framework framework : all_frameworks()) {
    JobSpec spec;
    spec.framework = framework;
    spec.restarts.limit = 3;
    spec.groups.push_back({.workers = {false, 2}, .command = {"python", "train.py"}});
    const auto plan = plan_on_one_machine(spec, {.host = "ws1", .cpus = {0, 1}, .memory_bytes = 8ULL << 30});
    ASSERT_TRUE(plan.ok()) << plan.status().message();
    for (const auto& environment : shown_environments(spec, *plan, places_here(*plan, "127.0.0.1"))) {
      for (const std::string& name : variables_of_ranks(framework, true))
        EXPECT_TRUE(environment.contains(name)) << to_string(framework) << " " << name;
    }
  }
}

}  // namespace
}  // namespace muster
