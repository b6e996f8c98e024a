// SPDX-License-Identifier: Apache-2.0
#include "core/agent/node_lease.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

using std::chrono::seconds;

TimePoint at(int64_t second) { return from_unix_nanos(second * 1'000'000'000); }

TEST(NodeLease, WithoutALengthItNeverEnds) {
  NodeLease lease;
  EXPECT_FALSE(lease.ended(at(1'000'000)));
}

TEST(NodeLease, RunsFromWhenTheEchoedReportWasSent) {
  NodeLease lease;
  const uint64_t first = lease.beat(at(100));
  lease.grant(seconds(30));
  EXPECT_TRUE(lease.ended(at(100))) << "no report was echoed yet";
  lease.heard(first);  // arrives late: it counts from 100
  EXPECT_FALSE(lease.ended(at(129)));
  EXPECT_TRUE(lease.ended(at(130)));
}

TEST(NodeLease, AnOldOrUnknownEchoProvesNothing) {
  NodeLease lease;
  lease.grant(seconds(30));
  const uint64_t first = lease.beat(at(100));
  const uint64_t second = lease.beat(at(110));
  lease.heard(second);
  lease.heard(first);
  lease.heard(second);
  lease.heard(99);
  lease.heard(0);
  EXPECT_FALSE(lease.ended(at(139)));
  EXPECT_TRUE(lease.ended(at(140)));
}

TEST(NodeLease, RemembersABoundedNumberOfReports) {
  NodeLease lease;
  lease.grant(seconds(30));
  const uint64_t forgotten = lease.beat(at(1));
  for (int i = 0; i < 2000; ++i) lease.beat(at(2));
  lease.heard(forgotten);
  EXPECT_TRUE(lease.ended(at(3)));
  lease.heard(2001);
  EXPECT_FALSE(lease.ended(at(3)));
}

}  // namespace
}  // namespace muster
