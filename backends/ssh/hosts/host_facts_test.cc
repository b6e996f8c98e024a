// SPDX-License-Identifier: Apache-2.0
#include "backends/ssh/hosts/host_facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "launcher/view/hosts_view.h"

namespace muster {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

HostFacts sample() {
  HostFacts facts;
  facts.version = "0.1.0";
  facts.host = "a1.example";
  facts.user = "mia";
  facts.kernel = "Linux 6.1.0";
  facts.machine = "boot net:[1]";
  facts.loopback = "localhost";
  facts.cpu_order = {0, 2, 1};
  facts.places = {{0, -1, 0, 0, 0}, {2, 1, 0, 2, 2}};
  facts.cpus = 64;
  facts.numa_nodes = 2;
  facts.memory_bytes = 512ull << 30;
  facts.gpus = {{0, "GPU-1", "H100", 80ull << 30, -1}, {1, "GPU-2", "H100", 80ull << 30, -1}};
  facts.gpu_users = {"bob's python (pid 811)"};
  facts.addresses = {{"eth0", "10.0.0.1", 24, 100000}};
  facts.python = "3.11.2";
  facts.torch = "2.15.0";
  facts.driver = "550.54.15";
  facts.proxy = "http_proxy";
  facts.packages = {{"numpy", "1.26.4"}};
  facts.max_startups = "10:30:100";
  facts.holders = {{"bob's job llm, pid 7,", {{"GPU-1"}, {0, 1}, 5}, false, "id"}, {"eve's sleep", {}, true}};
  return facts;
}

HostReport report(const std::string& name, const HostFacts& facts) {
  HostReport made;
  made.host.name = name;
  made.facts = facts;
  return made;
}

TEST(HostFactsTest, CrossTheLink) {
  const auto read = facts_from_json(facts_to_json(sample()));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(*read, sample());
}

TEST(HostFactsTest, AStrangersWordIsCutAndEscaped) {
  const auto read =
      facts_from_json(R"({"version":"1","host":"\u001b[31mx","cpus":-4,"gpus":[7],"user":["x"],"kernel":")" +
                      std::string(5000, 'k') + "\"}");
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->host, "\\x1b[31mx");
  EXPECT_EQ(read->cpus, 0u);
  EXPECT_TRUE(read->gpus.empty());
  EXPECT_EQ(read->kernel.size(), 256u);
  for (const char* text : {"", "[]", "{}", "7", "not json", "{\"version\":1"})
    EXPECT_EQ(facts_from_json(text).ok(), std::string(text) == "{\"version\":1}") << text;
}

TEST(HostsViewTest, ShowsHostsAndWhatSetsThemApart) {
  HostFacts other = sample();
  other.torch = "2.14.0";
  std::vector<HostReport> reports{report("a1", sample()), report("a2", other)};
  reports[1].ahead = std::chrono::milliseconds(-2500);
  reports.push_back({});
  reports.back().host.name = "a3";
  reports.back().trouble = {"it refused the ssh login", "ssh a3", true};
  const std::string table = hosts_table(reports, Style(), false);
  EXPECT_THAT(table, HasSubstr("64 in 2"));
  EXPECT_THAT(table, HasSubstr("2 × H100"));
  EXPECT_THAT(table, HasSubstr("-2.5 s"));
  EXPECT_THAT(table, Not(HasSubstr("a3")));
  EXPECT_EQ(hosts_troubles(reports, Style()), "error: a3: it refused the ssh login\n  next: ssh a3\n");
  EXPECT_THAT(
      hosts_remarks(reports),
      ElementsAre("hosts differ in torch: 2.14.0 on a2; 2.15.0 on a1", "on a1 GPUs are in use: bob's python (pid 811)",
                  "the clock of a2 is 2.5 s behind this machine's; synchronise it with a time server",
                  "on a2 GPUs are in use: bob's python (pid 811)"));
}

TEST(HostsViewTest, AClockWithinWhatIsKnownOfItIsInStep) {
  std::vector<HostReport> reports{report("a1", sample())};
  reports[0].ahead = std::chrono::seconds(3);
  reports[0].unsure = std::chrono::seconds(4);
  EXPECT_THAT(hosts_table(reports, Style(), false), HasSubstr("in sync"));
}

}  // namespace
}  // namespace muster
