// SPDX-License-Identifier: Apache-2.0
#include "core/coordinator/job_ledger.h"

#include <gtest/gtest.h>

#include "test/sim/sim_loop.h"
#include "test/sim/sim_store.h"

namespace muster {
namespace {

Submission one_node() {
  Random random(7);
  Submission submission;
  submission.id = JobId::make(random);
  submission.name = submission.spec.name = "train";
  submission.spec.groups.resize(1);
  submission.plan.nodes.push_back({0, 0, "node-a", {0}});
  submission.plan.ranks.resize(1);
  return submission;
}

class LedgerOfOneJob : public testing::Test {
 protected:
  LedgerOfOneJob() {
    EXPECT_TRUE(store_.create({submission_.id, submission_.name, "queued", loop_.now(), TimePoint(), ""}).ok());
    open(loop_.now());
  }

  void open(TimePoint submitted) {
    std::vector<job::Action> actions;
    ledger_.emplace(loop_, store_, log_, JobFold(submission_, submitted, actions));
    ledger_->on_entry([this](TimePoint, const JournalEntry& entry) { kinds_.push_back(kind_of(entry)); });
  }
  size_t lines() const { return store_.read(submission_.id)->size(); }

  const Submission submission_ = one_node();
  sim::SimLoop loop_;
  sim::SimStore store_;
  NullLog log_;
  std::optional<JobLedger> ledger_;
  std::vector<std::string> kinds_;
};

TEST_F(LedgerOfOneJob, Take_EventThatChangesTheJob_IsWrittenAndGivesActions) {
  const auto actions = ledger_->take(job::Admitted{});
  ASSERT_TRUE(actions);
  EXPECT_FALSE(actions->empty());
  EXPECT_EQ(ledger_->state().phase, job::Phase::placing);
  EXPECT_EQ(lines(), 1u);
  EXPECT_EQ(kinds_.size(), 1u);
}

TEST_F(LedgerOfOneJob, Take_EventThatChangesNothing_IsNotWritten) {
  EXPECT_FALSE(ledger_->take(job::LinkDown{0}));
  EXPECT_EQ(lines(), 0u);
}

TEST_F(LedgerOfOneJob, Note_FullDisk_IsTakenAndRemarkedOnce) {
  store_.fail_with(Status(Code::resource_exhausted, "disk full"));
  const size_t events = ledger_->fold().events().size();
  ledger_->note(Remark{"one", false});
  ledger_->note(Remark{"two", false});
  EXPECT_TRUE(ledger_->behind());
  EXPECT_EQ(ledger_->fold().events().size(), events + 3) << "both notes, and one about the journal";
  store_.fail_with(Status());
  EXPECT_TRUE(ledger_->catch_up().ok());
  EXPECT_EQ(lines(), 3u);
  EXPECT_FALSE(ledger_->behind());
}

TEST_F(LedgerOfOneJob, MayTellEnd_FullDisk_OnlyWhenItIsWritten) {
  store_.fail_with(Status(Code::resource_exhausted, "disk full"));
  ASSERT_TRUE(ledger_->take(job::StopAsked{}));
  ASSERT_TRUE(ledger_->done());
  EXPECT_FALSE(ledger_->may_tell_end());
  EXPECT_EQ(ledger_->end_waits_for(), "its end to be written to its journal: disk full");
  store_.fail_with(Status());
  EXPECT_TRUE(ledger_->catch_up().ok());
  EXPECT_TRUE(ledger_->may_tell_end());
  EXPECT_EQ(ledger_->end_waits_for(), "");
}

TEST_F(LedgerOfOneJob, MayTellEnd_DiskFullForLong_TellsThatItIsNotKept) {
  store_.fail_with(Status(Code::resource_exhausted, "disk full"));
  ASSERT_TRUE(ledger_->take(job::StopAsked{}));
  loop_.run_until(loop_.now() + JobLedger::kEndPatience);
  EXPECT_FALSE(ledger_->catch_up().ok());
  EXPECT_TRUE(ledger_->may_tell_end());
  EXPECT_NE(ledger_->fold().events().back().sentence.find("may run again"), std::string::npos);
}

TEST_F(LedgerOfOneJob, Now_JournalFromALaterClock_IsNotBehindIt) {
  const TimePoint later = loop_.now() + std::chrono::minutes(5);
  open(later);
  EXPECT_EQ(ledger_->now(), later);
  EXPECT_EQ(ledger_->on_loop(later), loop_.now());
}

}  // namespace
}  // namespace muster
