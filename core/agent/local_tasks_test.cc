// SPDX-License-Identifier: Apache-2.0
#include "core/agent/local_tasks.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

std::map<std::string, std::string> adapted(const Bind& bind, const HostEnvironment& host, RankTask task) {
  task.gaps = {"no_grpc_proxy", "OMP_NUM_THREADS"};
  task.environment.insert({{"no_grpc_proxy", "10.0.0.1"}, {"OMP_NUM_THREADS", "1"}});
  return with_own_values(bind, host, {task})[0].environment;
}

TEST(LocalTasks, AHostsOwnValue_OverridesAGapOfTheFramework) {
  Bind bind;
  const HostEnvironment host{{{"OMP_NUM_THREADS", "8"}}, {}};
  EXPECT_EQ(adapted(bind, host, {}).at("OMP_NUM_THREADS"), "1");
  bind.own_environment = true;
  EXPECT_EQ(adapted(bind, host, {}).count("OMP_NUM_THREADS"), 0u);
}

TEST(LocalTasks, NoProxyOfTheUser_IsAppendedToNoGrpcProxy) {
  Bind bind;
  bind.environment = {{"no_proxy", "shell"}, {"http_proxy", "http://proxy:3128"}};
  HostEnvironment host{{{"no_proxy", "host"}}, {}};
  RankTask task;
  task.environment = {{"no_proxy", "job"}};
  EXPECT_EQ(adapted(bind, host, task).at("no_grpc_proxy"), "10.0.0.1,job");
  EXPECT_EQ(adapted(bind, host, {}).at("no_grpc_proxy"), "10.0.0.1,shell");
  bind.environment.erase("no_proxy");
  EXPECT_EQ(adapted(bind, host, {}).at("no_grpc_proxy"), "10.0.0.1");
  bind.own_environment = true;
  EXPECT_EQ(adapted(bind, host, {}).at("no_grpc_proxy"), "10.0.0.1,host");
}

TEST(LocalTasks, WithoutAProxy_RanksHaveNoNoGrpcProxy) {
  Bind bind;
  bind.environment = {{"no_proxy", "shell"}, {"http_proxy", ""}};
  HostEnvironment host{{{"https_proxy", "http://proxy:3128"}}, {}};
  RankTask task;
  task.argv = {"python3", "train.py"};
  EXPECT_EQ(adapted(bind, host, task).count("no_grpc_proxy"), 0u);
  task.environment = {{"grpc_proxy", "http://proxy:3128"}};
  EXPECT_EQ(adapted(bind, host, task).at("no_grpc_proxy"), "10.0.0.1,shell");
  bind.own_environment = true;
  task.environment.clear();
  EXPECT_EQ(adapted(bind, host, task).at("no_grpc_proxy"), "10.0.0.1,shell");
}

TEST(LocalTasks, OfAShellThatMaySetAProxy_NoGrpcProxyIsKept) {
  RankTask task;
  task.argv = {"bash", "-lc", "python3 train.py"};
  EXPECT_EQ(adapted({}, {}, task).at("no_grpc_proxy"), "10.0.0.1");
}

TEST(LocalTasks, InAnImage_NoGrpcProxyIsKept) {
  Bind bind;
  bind.setup.emplace().container.emplace();
  EXPECT_EQ(adapted(bind, {}, {}).at("no_grpc_proxy"), "10.0.0.1");
}

TEST(LocalTasks, NoGrpcProxyOfTheHost_StaysAsItIs) {
  Bind bind;
  bind.own_environment = true;
  const HostEnvironment host{{{"no_grpc_proxy", "all"}, {"no_proxy", "host"}}, {}};
  EXPECT_EQ(adapted(bind, host, {}).count("no_grpc_proxy"), 0u);
}

}  // namespace
}  // namespace muster
