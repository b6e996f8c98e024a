// SPDX-License-Identifier: Apache-2.0
#include "core/controller/retention.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

class RetentionOf : public ::testing::Test {
 protected:
  void add(const std::string& name, Duration since_end, uint64_t bytes) {
    JobRecord record;
    record.id = JobId::make(random_);
    record.name = name;
    record.ended = now_ - since_end;
    record.bytes = bytes;
    records_[record.id] = record;
  }
  std::vector<std::string> gone(const Retention& retention) const {
    std::vector<std::string> names;
    for (const JobRecord* record : outlived(records_, retention, now_)) names.push_back(record->name);
    return names;
  }
  using Names = std::vector<std::string>;
  Random random_{7};
  const TimePoint now_ = TimePoint(hours(1000));
  JobRecords records_;
};

TEST_F(RetentionOf, TheOldestGoUntilTheRestFits) {
  add("new", hours(1), 50);
  add("old", hours(3), 50);
  add("middle", hours(2), 50);
  EXPECT_EQ(gone({std::nullopt, 150}), Names{});
  EXPECT_EQ(gone({std::nullopt, 149}), Names{"old"});
  EXPECT_EQ(gone({std::nullopt, 60}), (Names{"old", "middle"}));
}

TEST_F(RetentionOf, AgeCountsFromTheEnd) {
  add("young", hours(23), 1);
  add("old", hours(24), 1);
  EXPECT_EQ(gone({hours(24), std::nullopt}), Names{"old"});
}

TEST_F(RetentionOf, WhatEndedJustNowStaysHoweverLarge) {
  add("large", minutes(5), 1000);
  add("small", minutes(30), 1);
  EXPECT_EQ(gone({std::nullopt, 10}), Names{"small"});
  EXPECT_EQ(gone({std::nullopt, 10, Duration(0)}), (Names{"small", "large"}));
}

TEST_F(RetentionOf, WhatLivesStaysAndDoesNotCount) {
  add("running", hours(9), 1000);
  for (auto& [id, record] : records_) record.ended = TimePoint();
  add("ended", hours(8), 10);
  EXPECT_EQ(gone({hours(100), 10}), Names{});
  EXPECT_EQ(bytes_of_ended(records_), 10u);
}

TEST_F(RetentionOf, TheNextToGoIsKnownBefore) {
  EXPECT_EQ(next_outlived(records_, {hours(24), 10}), std::nullopt) << "no job has ended";
  add("old", minutes(5), 50);
  add("new", minutes(2), 50);
  EXPECT_EQ(next_outlived(records_, {std::nullopt, 100}), std::nullopt);
  EXPECT_EQ(next_outlived(records_, {std::nullopt, 99}), now_ + minutes(5));
  EXPECT_EQ(next_outlived(records_, {hours(1), 100}), now_ + minutes(55));
  EXPECT_EQ(next_outlived(records_, {hours(1), 99}), now_ + minutes(5)) << "the earlier of both";
}

}  // namespace
}  // namespace muster
