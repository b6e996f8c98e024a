// SPDX-License-Identifier: Apache-2.0
// A job whose groups restart by themselves, replayed from its journal.

#include <gtest/gtest.h>

#include "core/journal/job_fold.h"

namespace muster {
namespace {

using std::chrono::seconds;

GroupSpec group(const std::string& name, uint32_t nodes) {
  GroupSpec made;
  made.name = name;
  made.min_nodes = made.max_nodes = nodes;
  made.command = {"./train"};
  return made;
}

// A trainer on two nodes and an evaluator on a third, one rank each.
class JobOfGangs : public testing::Test {
 protected:
  JobOfGangs() {
    Random random(3);
    Submission submission;
    submission.id = JobId::make(random);
    submission.spec.name = "train";
    submission.spec.groups = {group("trainer", 2), group("evaluator", 1)};
    submission.spec.restarts.limit = 3;
    submission.spec.restarts.mode = RestartMode::group;
    submission.plan = *plan_on_one_machine(submission.spec, {"ws1", {0, 1, 2, 3}, std::nullopt, {}, {}});
    take(submission);
    std::vector<job::Action> actions;
    fold_.emplace(submission, now_, actions);
    happen(job::Admitted{});
    for (const NodeIndex node : {0u, 1u, 2u}) happen(job::NodeUp{node, node + 1, "", "", 0});
    for (const NodeIndex node : {0u, 1u, 2u}) report(node, RankPhase::running);
    meet(1, {{"10.0.0.1", 4000}, {}});
    meet(1, {{}, {"10.0.0.1", 5000}});
  }

  void take(const JournalEntry& entry) { lines_.push_back(encode_line({now_, entry})); }
  void happen(const job::Event& event) {
    take(event);
    if (auto step = fold_->consider(now_, event)) fold_->take(now_, event, std::move(*step));
  }
  void meet(Attempt attempt, const SharedVector<Endpoint>& endpoints) {
    take(AttemptEndpoints{attempt, endpoints, {}});
    fold_->take(now_, AttemptEndpoints{attempt, endpoints, {}});
  }
  // Reports the node's only rank, which has the index of the node.
  void report(NodeIndex node, RankPhase phase, int code = 0) {
    now_ += seconds(1);
    job::RankFact fact{node, phase, {}, now_};
    fact.exit.code = code;
    const bool quiet = phase == RankPhase::exited;
    happen(job::Reported{node, node + 1, job::attempt_on(fold_->state(), node), quiet, {fact}});
  }
  void restart_trainer() {
    report(1, RankPhase::exited, 3);
    report(0, RankPhase::exited);
    meet(2, {{"10.0.0.1", 4001}, {}});
    report(0, RankPhase::running);
    report(1, RankPhase::running);
  }

  TimePoint now_ = from_unix_nanos(1'700'000'000'000'000'000);
  std::vector<std::string> lines_;
  std::optional<JobFold> fold_;
};

TEST_F(JobOfGangs, EveryGroupHasAttemptsOfItsOwn) {
  restart_trainer();
  const std::vector<AttemptView> attempts = fold_->view().attempts;
  ASSERT_EQ(attempts.size(), 3u);
  EXPECT_EQ(attempts[0].group, "trainer");
  EXPECT_EQ(attempts[0].culprit, 1u);
  EXPECT_NE(attempts[0].ended, TimePoint());
  EXPECT_EQ(attempts[1].group, "evaluator");
  EXPECT_EQ(attempts[1].ended, TimePoint());
  EXPECT_EQ(attempts[2].group, "trainer");
  EXPECT_EQ(attempts[2].attempt, 2u);
  EXPECT_NE(attempts[2].running, TimePoint());
  report(2, RankPhase::exited, 4);
  EXPECT_EQ(fold_->view().attempts.back().attempt, 3u);
  EXPECT_EQ(fold_->view().attempts[1].culprit, 2u) << "by its number in the job";
}

TEST_F(JobOfGangs, LastExit_InTheReportThatBeginsTheNextAttempt_IsAConsequence) {
  restart_trainer();
  const AttemptView first = fold_->view().attempts[0];
  ASSERT_EQ(first.consequences.size(), 1u);
  EXPECT_EQ(first.consequences[0], "trainer 0 exited with code 0");
}

TEST_F(JobOfGangs, WhoGoesOnKeepsItsAttemptAndWhereItMeets) {
  restart_trainer();
  const AttemptPlace trainer = fold_->attempt_place(1);
  const AttemptPlace evaluator = fold_->attempt_place(2);
  EXPECT_EQ(trainer.attempt, 2u);
  EXPECT_EQ(trainer.endpoints.at(0).port, 4001);
  EXPECT_EQ(evaluator.attempt, 1u);
  EXPECT_EQ(evaluator.endpoints.at(1).port, 5000);
  EXPECT_TRUE(fold_->has_endpoints(0, 2));
  EXPECT_FALSE(fold_->has_endpoints(0, 1));
  EXPECT_TRUE(fold_->has_endpoints(1, 1));
  EXPECT_FALSE(fold_->has_endpoints(1, 2));
}

TEST_F(JobOfGangs, TheJournalFoldsToTheSame) {
  restart_trainer();
  report(2, RankPhase::exited);
  const auto folded = JobFold::replay(lines_);
  ASSERT_TRUE(folded.ok());
  EXPECT_EQ(folded->state(), fold_->state());
  EXPECT_EQ(folded->view(), fold_->view());
  EXPECT_EQ(folded->attempt_place(0).endpoints, fold_->attempt_place(0).endpoints);
  EXPECT_TRUE(folded->has_endpoints(0, 2));
}

}  // namespace
}  // namespace muster
