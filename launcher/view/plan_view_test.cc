// SPDX-License-Identifier: Apache-2.0
#include "launcher/view/plan_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string shown(Framework framework, const std::vector<std::string>& service) {
  JobSpec spec;
  spec.framework = framework;
  spec.service = service;
  spec.groups.push_back({.workers = {false, 2}, .command = {"python", "train.py"}});
  const auto plan = plan_on_one_machine(spec, {.host = "ws1", .cpus = {0, 1}, .memory_bytes = 8ULL << 30});
  EXPECT_TRUE(plan.ok()) << plan.status().message();
  return plan_view(spec, *plan, shown_environments(spec, *plan, places_here(*plan, "127.0.0.1")), Style());
}

TEST(PlanView, AServiceProgram_IsNamed) {
  EXPECT_THAT(shown(Framework::torch, {}), Not(HasSubstr("service")));
  EXPECT_THAT(shown(Framework::xgboost, {}),
              HasSubstr("\nservice the tracker of XGBoost, on the first node of each world\n"));
  EXPECT_THAT(shown(Framework::custom, {"./serve", "${master_port}"}),
              HasSubstr("\nservice ./serve ${master_port}, on"));
}

TEST(PlanView, APortOfTheAttempt_IsNotShownAsZero) {
  EXPECT_THAT(shown(Framework::jax, {}), HasSubstr("  127.0.0.1:<new port>\n"));
  EXPECT_THAT(shown(Framework::paddle, {}), HasSubstr("  127.0.0.1:<new port>,127.0.0.1:<new port>\n"));
  EXPECT_THAT(shown(Framework::tensorflow, {}),
              HasSubstr(R"({"cluster":{"worker":["127.0.0.1:<new port>","127.0.0.1:<new port>"]},"task":)"
                        R"({"type":"worker","index":0}})"));
}

}  // namespace
}  // namespace muster
