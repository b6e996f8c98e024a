// SPDX-License-Identifier: Apache-2.0
#include "core/journal/job_journal.h"

#include <gmock/gmock.h>

namespace muster {
namespace {

using testing::ElementsAre;

// A store that keeps lines, marked with "!" if they were synced; it can be full.
class OneJournal final : public JournalStore {
 public:
  Status append(const JobId& job, std::string_view line, bool sync) override {
    return full ? Status(Code::resource_exhausted, "full") : append_last(job, line, sync);
  }
  Status append_last(const JobId&, std::string_view line, bool sync) override {
    if (full && !reserves) return Status(Code::resource_exhausted, "full");
    const Result<JournalLine> read = decode_line(line);
    sentences.push_back(std::get<Remark>(read->entry).sentence + (sync ? "!" : ""));
    return {};
  }
  Status sync(const JobId&) override {
    ++syncs;
    return full ? Status(Code::resource_exhausted, "full") : Status();
  }
  Result<std::vector<std::string>> read(const JobId&) const override { return std::vector<std::string>(); }

  void release_reserve(const JobId&) override {}

  bool full = false;
  bool reserves = false;
  int syncs = 0;
  std::vector<std::string> sentences;
};

class JobJournalTest : public testing::Test {
 protected:
  Status write(const std::string& sentence, bool sync = false) {
    return journal_.write(TimePoint(), Remark{sentence}, sync);
  }
  OneJournal store_;
  JobJournal journal_{store_, JobId()};
};

TEST_F(JobJournalTest, LinesAreWrittenAsTheyCome) {
  EXPECT_TRUE(write("one").ok());
  EXPECT_TRUE(write("two", true).ok());
  EXPECT_THAT(store_.sentences, ElementsAre("one", "two!"));
  EXPECT_FALSE(journal_.behind());
}

TEST_F(JobJournalTest, End_DiskFull_WritesTheWaitingLinesIntoTheReserve) {
  store_.full = store_.reserves = true;
  EXPECT_EQ(write("one", true).code(), Code::resource_exhausted);
  EXPECT_THAT(store_.sentences, ElementsAre());
  journal_.end();
  EXPECT_TRUE(write("the end", true).ok());
  EXPECT_TRUE(write("after it").ok());
  EXPECT_THAT(store_.sentences, ElementsAre("one", "the end!", "after it"));
}

TEST_F(JobJournalTest, WhatAFullDiskRefusesComesLaterInItsOrder) {
  store_.full = true;
  EXPECT_EQ(write("one", true).code(), Code::resource_exhausted);
  journal_.precede(TimePoint(), Remark{"the disk is full"});
  EXPECT_FALSE(write("two").ok());
  EXPECT_TRUE(journal_.behind());
  EXPECT_FALSE(journal_.catch_up().ok());
  store_.full = false;
  EXPECT_TRUE(journal_.catch_up().ok());
  // One sync, at the last line, makes all earlier lines durable too.
  EXPECT_THAT(store_.sentences, ElementsAre("the disk is full", "one", "two!"));
  EXPECT_FALSE(journal_.behind());
}

TEST_F(JobJournalTest, WhatIsOwedIsWaitedForOnceAndNotWhereALineSinceHasWaited) {
  EXPECT_TRUE(journal_.settle().ok());
  EXPECT_EQ(store_.syncs, 1) << "a job's first line";
  EXPECT_TRUE(write("one").ok());
  journal_.owe();
  EXPECT_TRUE(journal_.settle().ok());
  EXPECT_TRUE(journal_.settle().ok());
  EXPECT_EQ(store_.syncs, 2);
  journal_.owe();
  EXPECT_TRUE(write("two").ok());
  EXPECT_TRUE(write("three", true).ok());
  EXPECT_TRUE(journal_.settle().ok());
  EXPECT_EQ(store_.syncs, 2);
}

TEST_F(JobJournalTest, WhatIsOwedIsOwedUntilTheDiskHasIt) {
  EXPECT_TRUE(write("one").ok());
  journal_.owe();
  store_.full = true;
  EXPECT_FALSE(journal_.settle().ok());
  EXPECT_FALSE(write("two").ok());
  EXPECT_FALSE(journal_.settle().ok());
  store_.full = false;
  EXPECT_TRUE(journal_.settle().ok());
  EXPECT_THAT(store_.sentences, ElementsAre("one", "two!"));
}

}  // namespace
}  // namespace muster
