// SPDX-License-Identifier: Apache-2.0
#include "core/job/plan/job_host.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

JobHost sample() {
  JobHost host{"mia@a1", "10.0.0.1", "localhost", 4, {}};
  host.machine = {"a1", {0, 2, 1}, 64ULL << 30, {{0, "GPU-1", "H100", 80ULL << 30, 1}}, {{0, 1, 2, 3, 4}}};
  host.identity = "boot net";
  host.label = "rack1";
  host.weight = 3;
  host.others = {{"bob's job llm, pid 7,", {{"GPU-1"}, {0, 2}, 1 << 20}, true, "jobid"}};
  return host;
}

TEST(JobHost, HostsComeBackAsTheyWere) {
  JobHost bare{"a2", "fd00::2", "127.0.0.1", 0, {}};
  const std::vector<JobHost> hosts = {sample(), bare};
  const auto back = hosts_from_json(hosts_to_json(hosts));
  ASSERT_TRUE(back.ok()) << back.status().message();
  EXPECT_EQ(*back, hosts);
}

TEST(JobHost, NoTextIsNoHosts) { EXPECT_TRUE(hosts_from_json("")->empty()); }

TEST(JobHost, OtherTextsAreRefused) {
  for (const char* text : {"{}x", "[{}]", "[1]", "7", "[{\"name\": 3}]"})
    EXPECT_EQ(hosts_from_json(text).status().code(), Code::invalid_argument) << text;
}

}  // namespace
}  // namespace muster
