// SPDX-License-Identifier: Apache-2.0
#include "core/client/service_environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster {
namespace {

using testing::IsEmpty;
using testing::UnorderedElementsAre;

TEST(ServiceEnvironment, VariablesThatMusterNeeds_AreKept) {
  EXPECT_THAT(service_environment(
                  {{"PATH", "/bin"}, {"HOME", "/h"}, {"MUSTER_IDLE", "1m"}, {"XDG_STATE_HOME", "/s"}, {"LC_ALL", "C"}}),
              UnorderedElementsAre("PATH=/bin", "HOME=/h", "MUSTER_IDLE=1m", "XDG_STATE_HOME=/s", "LC_ALL=C"));
}

TEST(ServiceEnvironment, VariablesOfTheShellAndSecrets_AreLeftOut) {
  EXPECT_THAT(
      service_environment({{"WANDB_API_KEY", "k"}, {"MINE", "x"}, {"MUSTER_TOKEN", "t"}, {"LDAP_PASSWORD", "p"}}),
      IsEmpty());
}

}  // namespace
}  // namespace muster
