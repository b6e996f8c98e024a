// SPDX-License-Identifier: Apache-2.0
// Fixture for tests in a World: invariants are checked at the end of each test.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "test/sim/world.h"

namespace muster::sim {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::HasSubstr;

class InAWorld : public testing::Test {
 protected:
  ~InAWorld() override {
    if (!may_breach) {
      EXPECT_THAT(world->breaches(), testing::IsEmpty());
    }
  }

  void script(Script script) { world->processes.script(std::move(script)); }
  // Rank 0 of these attempts fails after 1 s; other ranks succeed after 10 s.
  void fail_in(std::set<Attempt> attempts, const ExitStatus& exit = exited_with(1)) {
    script([attempts, exit](const Launch& launch) {
      const bool fails = attempts.count(launch.attempt) > 0 && launch.rank == 0;
      return fails ? Program{seconds(1), exit} : Program{};
    });
  }

  JobId submit(const JobSpec& spec) {
    const Result<JobView> view = world->submit(spec);
    EXPECT_TRUE(view.ok()) << view.status().message();
    return view.ok() ? view->id : JobId();
  }

  size_t launches() const { return world->processes.launches().size(); }

  // The job ends in `state`, and nothing of it is left.
  void expect_end(const std::string& job, const std::string& state) {
    EXPECT_TRUE(world->run_until_done(job)) << world->view(job).state << ": " << world->view(job).sentence;
    EXPECT_EQ(world->view(job).state, state) << world->view(job).sentence;
    world->loop.run_for(seconds(30));
    EXPECT_TRUE(world->processes.alive().empty());
    EXPECT_TRUE(world->agents.all().empty());
    EXPECT_TRUE(world->leases.held().empty());
  }

  bool may_breach = false;
  std::unique_ptr<World> world = std::make_unique<World>();
};

}  // namespace muster::sim
