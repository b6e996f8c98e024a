// SPDX-License-Identifier: Apache-2.0
#include "backends/ssh/hosts/job_hosts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backends/ssh/hosts/peer_address.h"

namespace muster {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Found {
  std::vector<HostSpec> hosts;
  std::vector<HostReport> reports;

  Found& host(const std::string& name, std::vector<HostAddress> addresses, const std::string& told = "") {
    hosts.push_back({name, 0, told});
    HostReport report;
    report.host.name = name;
    report.facts = HostFacts{.host = name, .machine = "boot " + name, .addresses = std::move(addresses)};
    reports.push_back(std::move(report));
    return *this;
  }
  std::vector<std::string> addresses() const {
    const auto chosen = peer_addresses(hosts, reports);
    return chosen.ok() ? *chosen : std::vector<std::string>{chosen.status().message()};
  }
};

TEST(PeerAddresses, TheFastestNetworkThatAllShare) {
  Found found;
  found.host("a", {{"eth0", "10.0.0.1", 24, 1000}, {"ib0", "10.1.0.1", 16, 200000}, {"ib1", "10.2.0.1", 16, 400000}});
  found.host("b", {{"eth0", "10.0.0.2", 24, 1000}, {"ib0", "10.1.7.2", 16, 200000}});
  EXPECT_THAT(found.addresses(), ElementsAre("10.1.0.1", "10.1.7.2"));
  found.host("c", {{"eth0", "10.0.0.3", 24, 1000}, {"eth1", "10.1.7.3", 16, 100}});
  EXPECT_THAT(found.addresses(), ElementsAre("10.0.0.1", "10.0.0.2", "10.0.0.3"))
      << "a network is as fast as its slowest NIC";
}

TEST(PeerAddresses, NetworksInsideTheHostsJoinNone) {
  Found found;
  found.host("a",
             {{"docker0", "172.17.0.1", 16, 10000}, {"x0", "192.168.0.1", 24, 10000}, {"eth0", "10.0.0.1", 24, 0}});
  found.host("b",
             {{"docker0", "172.17.0.2", 16, 10000}, {"x0", "192.168.0.1", 24, 10000}, {"eth0", "10.0.0.2", 24, 0}});
  EXPECT_THAT(found.addresses(), ElementsAre("10.0.0.1", "10.0.0.2")) << "one address is not two hosts";
}

TEST(PeerAddresses, RoutedHostsHaveTheirFastest) {
  Found found;
  found.host("a", {{"eth1", "10.3.0.1", 24, 100}, {"eth0", "10.0.0.1", 32, 1000}});
  found.host("b", {{"eth0", "fd00::2", 64, 1000}, {"eth0", "10.9.0.2", 32, 1000}});
  EXPECT_THAT(found.addresses(), ElementsAre("10.0.0.1", "10.9.0.2"));
}

TEST(PeerAddresses, OnlyIpv6Is) {
  Found found;
  found.host("a", {{"eth0", "fd00::1", 64, 0}}).host("b", {{"eth0", "fd00::2", 64, 0}});
  EXPECT_THAT(found.addresses(), ElementsAre("fd00::1", "fd00::2"));
}

TEST(PeerAddresses, WhatIsToldIsTaken) {
  Found found;
  found.host("a", {{"eth0", "10.0.0.1", 24, 1}, {"ib0", "fd00::1", 64, 1}, {"ib0", "10.1.0.1", 24, 1}}, "ib0");
  found.host("b", {{"eth0", "10.0.0.2", 24, 1}}, "10.99.0.2");
  EXPECT_THAT(found.addresses(), ElementsAre("10.1.0.1", "10.99.0.2"));
  found.host("c", {{"eth0", "10.0.0.2", 24, 1}}, "ib0");
  EXPECT_THAT(found.addresses(), ElementsAre("c has no NIC `ib0` with an address: it has eth0"));
}

TEST(PeerAddresses, OneHostNeedsNoneAndTwoWantOne) {
  EXPECT_THAT(Found().host("a", {}).addresses(), ElementsAre("127.0.0.1"));
  EXPECT_THAT(Found().host("a", {{"eth0", "10.0.0.1", 24, 1}}).host("b", {}).addresses(),
              ElementsAre(HasSubstr("b has no address")));
}

TEST(JobHosts, HaveWhatWasFound) {
  Found found;
  found.host("a", {{"eth0", "10.0.0.1", 24, 1}}).host("b", {{"eth0", "10.0.0.2", 24, 1}});
  JobSpec spec;
  spec.hosts = found.hosts;
  spec.hosts[1].slots = 4;
  spec.groups.emplace_back();
  found.reports[1].facts->loopback = "localhost";
  found.reports[1].facts->memory_bytes = 7;
  found.reports[1].facts->cpu_order = {0, 1};
  const auto hosts = job_hosts(spec, found.reports);
  ASSERT_TRUE(hosts.ok()) << hosts.status().message();
  JobHost b{"b", "10.0.0.2", "localhost", 4, {}};
  b.machine.host = "b";
  b.machine.memory_bytes = 7;
  b.identity = found.reports[1].facts->machine;
  EXPECT_EQ(hosts->at(1), b) << "CPUs are for jobs that bind ranks";
  spec.groups[0].worker.cpus = 1;
  EXPECT_THAT(job_hosts(spec, found.reports)->at(1).machine.cpus, ElementsAre(0, 1));
}

TEST(JobHosts, TwoNamesOfOneMachineAreNamed) {
  Found found;
  found.host("a", {{"eth0", "10.0.0.1", 24, 1}}).host("b", {{"eth0", "10.0.0.1", 24, 1}});
  found.reports[1].facts->machine = found.reports[0].facts->machine;
  JobSpec spec;
  spec.hosts = found.hosts;
  const auto hosts = job_hosts(spec, found.reports);
  EXPECT_EQ(hosts.status().code(), Code::invalid_argument);
  EXPECT_THAT(hosts.status().message(), HasSubstr("a and b are the same machine"));
}

}  // namespace
}  // namespace muster
