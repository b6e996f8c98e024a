// SPDX-License-Identifier: Apache-2.0
// TCP ports that agents lease for ranks: all ranks of the job get them before any rank starts; each attempt has new ones.
#include "test/sim/world_test.h"

namespace muster::sim {
namespace {

class PortsOfRanks : public InAWorld {
 protected:
  static JobSpec job(const std::string& name, uint32_t limit = 0) {
    JobSpec spec = job_spec(name, 2, 2, limit);
    spec.framework = Framework::custom;
    spec.custom = {{"HERE", "${address}:${port}"}, {"SECOND", "${port_2}"}, {"PEERS", "${peers}"}};
    return spec;
  }
  std::vector<Launch> of(Attempt attempt) const {
    std::vector<Launch> found;
    for (const Launch& launch : world->processes.launches())
      if (launch.attempt == attempt) found.push_back(launch);
    std::sort(found.begin(), found.end(), [](const Launch& a, const Launch& b) { return a.rank < b.rank; });
    return found;
  }
  static std::string joined(const std::vector<Launch>& launches) {
    std::string all;
    for (const Launch& launch : launches) all += (all.empty() ? "" : ",") + launch.environment.at("HERE");
    return all;
  }
};

TEST_F(PortsOfRanks, RanksOfTwoNodes_AnAttempt_AllKnowEachOthersPorts) {
  submit(job("peers"));
  EXPECT_TRUE(world->run_until_view(
      "peers", [this](const JobView&) { return launches() == 4; }, minutes(1)));
  std::set<std::string> ports;
  for (const Launch& launch : of(1)) {
    EXPECT_EQ(launch.environment.at("PEERS"), joined(of(1)));
    const std::string& here = launch.environment.at("HERE");
    ports.insert({here.substr(here.rfind(':') + 1), launch.environment.at("SECOND")});
  }
  EXPECT_EQ(ports.size(), 8u);
  for (const std::string& port : ports) EXPECT_TRUE(world->leases.held().count(port)) << port;
  expect_end("peers", "succeeded");
}

TEST_F(PortsOfRanks, TheFirstAttempt_StartsWithoutAHeartbeat_LikeRanksWithoutPorts) {
  const auto started_after = [this](const JobSpec& spec) {
    const uint64_t before = launches();
    const TimePoint begun = world->loop.now();
    submit(spec);
    EXPECT_TRUE(world->run_until_view(
        spec.name, [&](const JobView&) { return launches() == before + 4; }, minutes(1)));
    const Duration took = world->loop.now() - begun;
    expect_end(spec.name, "succeeded");
    return took;
  };
  const Duration without = started_after(job_spec("plain", 2, 2, 0));
  EXPECT_LT(started_after(job("ports")), without + kHeartbeat / 4);
}

TEST_F(PortsOfRanks, ASecondAttempt_AfterAFailure_HasOtherPorts) {
  fail_in({1});
  submit(job("again", 1));
  expect_end("again", "succeeded");
  ASSERT_EQ(of(2).size(), 4u);
  EXPECT_NE(of(1)[0].environment.at("HERE"), of(2)[0].environment.at("HERE"));
  EXPECT_EQ(of(2)[0].environment.at("PEERS"), joined(of(2)));
}

TEST_F(PortsOfRanks, TooFewPorts_AJob_WaitsForThem) {
  world->leases.none_left = true;
  submit(job("waits"));
  world->loop.run_for(seconds(5));
  EXPECT_EQ(launches(), 0u);
  world->leases.none_left = false;
  expect_end("waits", "succeeded");
}

}  // namespace
}  // namespace muster::sim
