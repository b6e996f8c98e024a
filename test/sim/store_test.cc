// SPDX-License-Identifier: Apache-2.0
// The torch stores that agents serve: they exist before any rank starts, are new in each attempt, and end with the job.
#include "test/sim/world_test.h"

namespace muster::sim {
namespace {

class StoreOfTorch : public InAWorld {
 protected:
  // Ranks of these attempts fail. Every rank records the ports of the stores that listen when it starts.
  void note_stores(std::set<Attempt> failing) {
    script([this, failing](const Launch& launch) {
      for (const SimHost& host : world->hosts)
        listening_[launch.attempt].merge(std::set<uint16_t>(host.stores.ports()));
      const bool fails = failing.count(launch.attempt) > 0 && launch.rank == 0;
      return fails ? Program{seconds(1), exited_with(1)} : Program{};
    });
  }
  static JobSpec torch_job(const std::string& name, StoreHost store, uint32_t nodes = 2) {
    JobSpec spec = job_spec(name, nodes, 2, 2);
    spec.framework = Framework::torch;
    spec.store = store;
    return spec;
  }
  // The store endpoints of the attempt's ranks, by node.
  std::map<NodeIndex, std::string> sent(Attempt attempt) const {
    std::map<NodeIndex, std::string> places;
    for (const Launch& launch : world->processes.launches()) {
      const auto& environment = launch.environment;
      if (launch.attempt != attempt) continue;
      places[launch.node] = environment.at("MASTER_ADDR") + ":" + environment.at("MASTER_PORT");
    }
    return places;
  }
  bool listened(Attempt attempt, const std::string& place) const {
    return listening_.at(attempt).count(static_cast<uint16_t>(std::stoul(place.substr(place.rfind(':') + 1)))) > 0;
  }

  std::map<Attempt, std::set<uint16_t>> listening_;
};

TEST_F(StoreOfTorch, ListensBeforeItsRanksStartAndIsAnotherInTheNextAttempt) {
  note_stores({1});
  submit(torch_job("hosted", StoreHost::hosted));
  expect_end("hosted", "succeeded");
  for (const Attempt attempt : {1, 2}) {
    EXPECT_EQ(sent(attempt).at(0), sent(attempt).at(1));
    EXPECT_TRUE(listened(attempt, sent(attempt).at(0)));
  }
  EXPECT_NE(sent(1).at(0), sent(2).at(0));
  EXPECT_TRUE(world->quiet());
}

TEST_F(StoreOfTorch, EveryOtherNodeHasAFrontWhereAsked) {
  note_stores({1});
  submit(torch_job("fronts", StoreHost::proxy, 3));
  expect_end("fronts", "succeeded");
  for (const Attempt attempt : {1, 2}) {
    const auto places = sent(attempt);
    EXPECT_EQ((std::set<std::string>{places.at(0), places.at(1), places.at(2)}).size(), 3u);
    for (const auto& [node, place] : places) EXPECT_TRUE(listened(attempt, place)) << node;
  }
}

TEST_F(StoreOfTorch, IsLeftToRankZeroWhereAsked) {
  note_stores({});
  submit(torch_job("own", StoreHost::program));
  expect_end("own", "succeeded");
  EXPECT_TRUE(listening_.at(1).empty());
}

TEST_F(StoreOfTorch, TakesAnotherPortWhereSomebodyHoldsTheLeasedOne) {
  note_stores({});
  world->hosts.front().stores.take_next(2);
  submit(torch_job("crowded", StoreHost::hosted, 1));
  expect_end("crowded", "succeeded");
  EXPECT_TRUE(listened(1, sent(1).at(0)));
}

}  // namespace
}  // namespace muster::sim
