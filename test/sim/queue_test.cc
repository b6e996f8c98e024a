// SPDX-License-Identifier: Apache-2.0
// The queue of a controller: order, backfill, commands, and their takeover by the next controller.

#include "test/sim/world_test.h"

namespace muster::sim {
namespace {

using Act = ArrangeRequest::Act;

class QueueOf : public InAWorld {
 protected:
  Result<JobView> arrange(const std::string& job, Act act, const std::string& other = "") {
    ArrangeRequest request;
    request.job = job;
    request.act = act;
    request.other = other;
    request.by = "nils";
    return world->controller().arrange(request);
  }
  void next_controller() {
    world->loop.run_for(seconds(1));
    world->crash_controller();
    world->loop.run_for(seconds(1));
    world->start_controller();
  }
  void expect_before(const std::string& first, const std::string& second) {
    EXPECT_TRUE(world->run_until_done(first) && world->run_until_done(second));
    EXPECT_LE(world->view(first).ended, world->view(second).started) << first << " before " << second;
  }
  void submit_three() {
    submit(job_spec("runs", 1, 8));
    for (const char* name : {"a", "b", "c"}) {
      submit(job_spec(name, 1, 8));
      world->loop.run_for(milliseconds(10));
    }
  }
};

TEST_F(QueueOf, WhatCannotPushTheHeadBackGoesBeforeIt) {
  submit(job_spec("four", 1, 4));
  submit(job_spec("head", 1, 6));
  submit(job_spec("three", 1, 3));
  submit(job_spec("two", 1, 2));
  world->loop.run_for(seconds(3));
  EXPECT_EQ(world->view("two").state, "running") << "when four ends, six are free";
  EXPECT_EQ(world->view("three").waits_for, "head, which was submitted earlier");
  EXPECT_EQ(world->view("head").queue_place, 1u);
  EXPECT_EQ(world->view("three").queue_place, 2u);
  expect_end("head", "succeeded");
  expect_end("three", "succeeded");
}

TEST_F(QueueOf, AHeldJobIsPassedOverUntilItIsReleased) {
  submit_three();
  ASSERT_TRUE(arrange("a", Act::hold).ok());
  EXPECT_EQ(world->view("a").waits_for, "`muster release a`: held by nils with `muster hold`");
  EXPECT_EQ(world->view("a").held_by, "nils with `muster hold`");
  expect_before("b", "c");
  EXPECT_EQ(world->view("a").state, "queued");
  const Result<JobView> released = arrange("a", Act::release);
  ASSERT_TRUE(released.ok());
  EXPECT_EQ(released->held_by, "");
  expect_end("a", "succeeded");
}

TEST_F(QueueOf, AJobMayBeBornHeldAndWithAPriority) {
  submit(job_spec("runs", 1, 8));
  JobSpec held = job_spec("held", 1, 8);
  held.hold = true;
  submit(held);
  world->loop.run_for(milliseconds(10));
  submit(job_spec("usual", 1, 8));
  JobSpec urgent = job_spec("urgent", 1, 8);
  urgent.priority = 5;
  world->loop.run_for(milliseconds(10));
  submit(urgent);
  EXPECT_EQ(world->view("usual").waits_for, "urgent, which has a higher priority");
  expect_before("urgent", "usual");
  EXPECT_EQ(world->view("held").waits_for,
            "`muster release held`: held by its submitter (--hold, `hold: true` or `suspend: true`)");
  ASSERT_TRUE(arrange("held", Act::release).ok());
  expect_end("held", "succeeded");
}

TEST_F(QueueOf, MovesAreKnownToTheNextController) {
  submit_three();
  ASSERT_TRUE(arrange("c", Act::first).ok());
  ASSERT_TRUE(arrange("a", Act::last).ok());
  EXPECT_EQ(world->view("b").waits_for, "c, which is ahead in the queue");
  next_controller();
  expect_before("c", "b");
  expect_before("b", "a");
}

TEST_F(QueueOf, HoldsAndPrioritiesAreKnownToTheNextController) {
  submit_three();
  ASSERT_TRUE(arrange("a", Act::hold).ok());
  ArrangeRequest urgent;
  urgent.job = "c";
  urgent.priority = 7;
  urgent.by = "nils";
  ASSERT_TRUE(world->controller().arrange(urgent).ok());
  next_controller();
  EXPECT_EQ(world->view("a").held_by, "nils with `muster hold`");
  EXPECT_EQ(world->view("c").priority, 7);
  expect_before("c", "b");
  EXPECT_EQ(world->view("a").state, "queued");
  ASSERT_TRUE(arrange("a", Act::release).ok());
  expect_end("a", "succeeded");
}

TEST_F(QueueOf, WhatRunsOrHasEndedIsToldSoAndLeftAlone) {
  submit(job_spec("runs", 1, 8));
  submit(job_spec("waits", 1, 8));
  world->loop.run_for(seconds(2));
  for (const Act act : {Act::hold, Act::release, Act::first, Act::last}) {
    const Status refused = arrange("runs", act).status();
    EXPECT_EQ(refused.code(), Code::failed_precondition);
    EXPECT_THAT(refused.message(), HasSubstr("runs is running: only a queued job can be held or moved"));
  }
  EXPECT_THAT(arrange("waits", Act::before, "runs").status().message(), HasSubstr("runs is running"));
  EXPECT_EQ(arrange("nobody", Act::hold).status().code(), Code::not_found);
  expect_end("waits", "succeeded");
  EXPECT_THAT(arrange("runs", Act::hold).status().message(), HasSubstr("runs has ended"));
}

TEST_F(QueueOf, WhatIsSaidTwiceIsWrittenOnce) {
  submit_three();
  ASSERT_TRUE(arrange("b", Act::hold).ok());
  const std::string once = world->view("b").held_by;
  const size_t lines = world->store.read(world->view("b").id)->size();
  ASSERT_TRUE(arrange("b", Act::hold).ok());
  EXPECT_EQ(world->store.read(world->view("b").id)->size(), lines);
  EXPECT_EQ(world->view("b").held_by, once);
  ASSERT_TRUE(arrange("b", Act::release).ok());
  expect_end("c", "succeeded");
}

}  // namespace
}  // namespace muster::sim
