// SPDX-License-Identifier: Apache-2.0
#include "core/machine/job/job.h"

#include <gtest/gtest.h>

namespace muster::job {
namespace {

TEST(Job, WhatStartsIsQueuedNoMoreAndNobodyNeedBeToldOfIt) {
  Rules rules;
  rules.nodes.push_back("ws1");
  rules.ranks.push_back({"rank 0", 0, 0});
  rules.groups = {SuccessRule::all};
  rules.group_names = {"worker"};
  const Step queued = submitted(rules, TimePoint());
  EXPECT_EQ(queued.next.sentence, "queued: 1 rank on 1 node");
  const Step placing = step(queued.next, TimePoint(), Admitted{});
  EXPECT_EQ(placing.next.sentence, "starting: 1 rank on 1 node");
  EXPECT_EQ(placing.sentence, "");
  const Step cancelled = step(queued.next, TimePoint(), StopAsked{Duration(0), "stopped by the user"});
  EXPECT_EQ(cancelled.next.sentence, "cancelled: stopped by the user");
}

}  // namespace
}  // namespace muster::job
