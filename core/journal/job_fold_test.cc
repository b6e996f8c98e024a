// SPDX-License-Identifier: Apache-2.0
#include "core/journal/job_fold.h"

#include <gtest/gtest.h>

#include "core/attempt/assignment.h"

namespace muster {
namespace {

using std::chrono::seconds;

// A job of three hosts with one rank each that can continue with two.
class JobOfHosts : public testing::Test {
 protected:
  JobOfHosts() {
    Random random(3);
    Submission submission;
    submission.id = JobId::make(random);
    submission.spec.name = "train";
    submission.spec.framework = Framework::torch;
    submission.spec.groups = {GroupSpec{}};
    submission.spec.restarts.limit = 3;
    Plan hosts;
    hosts.membership = ElasticMembership{2, 4, seconds(5)};
    submission.plan = plan_of_hosts({{"node-a", 1}, {"node-b", 1}, {"node-c", 1}}, hosts);
    lines_.push_back(encode_line({now_, submission}));
    std::vector<job::Action> actions;
    fold_.emplace(submission, now_, actions);
    happen(job::Admitted{});
    for (const NodeIndex node : {0u, 1u, 2u}) happen(up(node));
  }

  static job::NodeUp up(NodeIndex node, const std::string& host = "", uint32_t ranks = 0,
                        const std::string& role = "") {
    return {node, node + 1, "", host, ranks, Duration(0), role};
  }
  void happen(const job::Event& event) {
    lines_.push_back(encode_line({now_, event}));
    if (auto step = fold_->consider(now_, event)) fold_->take(now_, event, std::move(*step));
  }
  void quiet(NodeIndex node) {
    job::Reported report{node, node + 1, fold_->state().attempt, true, {}};
    for (const uint32_t index : fold_->submission().plan.nodes[node].ranks)
      report.ranks.push_back({index, RankPhase::exited, {}, now_});
    happen(report);
  }
  void lose_second() {
    happen(job::NodeLost{1, "gone"});
    quiet(0);
    quiet(2);
    now_ += seconds(5);
    happen(job::TimerFired{job::Timer::last_call});
  }
  std::map<std::string, std::string> environment(NodeIndex node) const {
    AttemptPlace place = fold_->attempt_place(0);
    place.endpoints = {{"10.0.0.1", 4000}};
    const auto tasks = tasks_of(fold_->submission(), {}, node, place, [](const auto&, OutputStream) { return ""; });
    return tasks.empty() ? std::map<std::string, std::string>{} : tasks.back().environment;
  }

  TimePoint now_ = from_unix_nanos(1'700'000'000'000'000'000);
  std::vector<std::string> lines_;
  std::optional<JobFold> fold_;
};

TEST_F(JobOfHosts, Troubles_DroppedOutputAgain_HasTheSumOfEachAttempt) {
  const std::string end = " of the output of rank 1: logs.max is 1 MiB";
  fold_->take(now_, Remark{"dropped the oldest 1 MiB" + end, true});
  fold_->take(now_, Remark{"dropped the oldest 1 MiB of the output of rank 2: logs.max is 1 MiB", true});
  fold_->take(now_, Remark{"dropped the oldest 3 MiB" + end, true});
  EXPECT_EQ(fold_->view().troubles,
            (std::vector<std::string>{"dropped the oldest 1 MiB of the output of rank 2: logs.max is 1 MiB",
                                      "dropped the oldest 3 MiB" + end}));
  lose_second();
  fold_->take(now_, Remark{"dropped the oldest 2 MiB" + end, true});
  EXPECT_EQ(fold_->view().troubles.size(), 3u);
}

TEST_F(JobOfHosts, RanksAreNumberedAnewAmongThoseThatAreLeft) {
  lose_second();
  EXPECT_EQ(fold_->state().attempt, 2u);
  const auto third = environment(2);
  EXPECT_EQ(third.at("RANK"), "1");
  EXPECT_EQ(third.at("WORLD_SIZE"), "2");
  EXPECT_EQ(third.at("GROUP_RANK"), "1");
  EXPECT_EQ(third.at("GROUP_WORLD_SIZE"), "2");
  EXPECT_EQ(third.at("TORCHELASTIC_RESTART_COUNT"), "1");
  EXPECT_TRUE(environment(1).empty());
  EXPECT_EQ(fold_->view().nodes, 2u);
  EXPECT_EQ(fold_->plan_of(1).ranks.size(), 3u) << "output of the first attempt is found by its own plan";
  EXPECT_EQ(fold_->plan_of(2).ranks.size(), 2u);
}

TEST_F(JobOfHosts, AHostThatCameIsNamedAndCostsNoRestart) {
  happen(up(3, "node-d", 2));
  for (const NodeIndex node : {0u, 1u, 2u}) quiet(node);
  EXPECT_EQ(fold_->state().attempt, 2u);
  const JobView view = fold_->view();
  ASSERT_EQ(view.ranks.size(), 5u);
  EXPECT_EQ(view.ranks[4].host, "node-d");
  EXPECT_EQ(view.restarts, 0u);
  EXPECT_EQ(environment(3).at("TORCHELASTIC_RESTART_COUNT"), "0");
}

TEST_F(JobOfHosts, RolesOfHosts_AreCountedByThemselves) {
  happen(up(3, "node-d", 2, "actor"));
  for (const NodeIndex node : {0u, 1u, 2u}) quiet(node);
  EXPECT_EQ(environment(3).at("ROLE_RANK"), "1");
  EXPECT_EQ(environment(3).at("ROLE_WORLD_SIZE"), "2");
  EXPECT_EQ(environment(2).at("ROLE_RANK"), "2");
  EXPECT_EQ(environment(2).at("ROLE_WORLD_SIZE"), "3");
  const auto folded = JobFold::replay(lines_);
  ASSERT_TRUE(folded.ok());
  EXPECT_EQ(folded->submission().plan, fold_->submission().plan);
}

TEST_F(JobOfHosts, AReplacementIsNamedInsteadOfTheLost) {
  happen(job::NodeLost{1, "gone"});
  quiet(0);
  quiet(2);
  happen(up(1, "node-x", 1));
  EXPECT_EQ(fold_->view().ranks.at(1).host, "node-x");
  EXPECT_EQ(fold_->plan_of(1).nodes[1].host, "node-b");
}

TEST_F(JobOfHosts, TheJournalFoldsToTheSame) {
  lose_second();
  happen(up(1, "node-x", 3));
  const auto folded = JobFold::replay(lines_);
  ASSERT_TRUE(folded.ok());
  EXPECT_EQ(folded->state(), fold_->state());
  EXPECT_EQ(folded->submission().plan, fold_->submission().plan);
  EXPECT_EQ(folded->plan_of(1), fold_->plan_of(1));
}

TEST_F(JobOfHosts, AnAttemptIsOverBeforeItsRanksHaveEnded) {
  now_ += seconds(9);
  happen(job::NodeLost{1, "gone"});
  const TimePoint lost = now_;
  EXPECT_EQ(fold_->view().attempts.back().stopping, lost);
  EXPECT_EQ(fold_->view().attempts.back().ended, TimePoint());
  now_ += seconds(3);
  quiet(0);
  quiet(2);
  happen(job::TimerFired{job::Timer::last_call});
  EXPECT_EQ(fold_->view().attempts.front().stopping, lost);
  EXPECT_EQ(fold_->view().attempts.front().ended, now_);
}

TEST_F(JobOfHosts, ImportsAreWithinTheirAttempt) {
  const TimePoint begun = now_;
  now_ += seconds(9);
  const Working working{1, 0, begun + seconds(8), begun - seconds(1)};
  lines_.push_back(encode_line({now_, working}));
  fold_->take(now_, working);
  EXPECT_EQ(fold_->view().attempts.front().importing, begun);
  EXPECT_EQ(fold_->view().attempts.front().working, begun + seconds(8));
  EXPECT_EQ(JobFold::replay(lines_)->view().attempts, fold_->view().attempts);
}

// A job that delivers code to two hosts and sets them up.
class JobWithSetup : public JobOfHosts {
 protected:
  JobWithSetup() {
    Submission submission = fold_->submission();
    submission.spec.setup = {{"make"}};
    submission.plan.membership.reset();
    submission.plan = plan_of_hosts({{"node-a", 1}, {"node-b", 1}}, submission.plan);
    lines_ = {encode_line({now_, submission})};
    std::vector<job::Action> actions;
    fold_.emplace(submission, now_, actions);
    happen(job::Admitted{});
    now_ += seconds(1);
  }
  void prepared(NodeIndex node) {
    job::Reported report{node, node + 1, 0, true, {}};
    report.prepared = true;
    happen(report);
  }
  AttemptView attempt() const { return fold_->view().attempts.at(0); }
};

TEST_F(JobWithSetup, ItsAttemptTellsHowLongThatTook) {
  const TimePoint placed = attempt().placed;
  now_ += seconds(8);
  happen(job::NodeUp{0, 1, "", "", 0, seconds(7)});
  EXPECT_EQ(attempt().preparing, placed + seconds(2));
  EXPECT_EQ(attempt().prepared, now_);
  now_ += seconds(1);
  happen(job::NodeUp{1, 2, "", "", 0, seconds(6)});
  EXPECT_EQ(attempt().prepared, TimePoint()) << "setup is not finished";
  prepared(0);
  now_ += seconds(5);
  prepared(1);
  EXPECT_EQ(attempt().preparing, placed + seconds(2));
  EXPECT_EQ(attempt().prepared, now_);
  EXPECT_EQ(JobFold::replay(lines_)->view().attempts, fold_->view().attempts);
}

TEST_F(JobOfHosts, OfALongStoryTheMiddleIsForgotten) {
  for (int i = 0; i < 10'000; ++i) fold_->take(TimePoint(), Remark{"again", false});
  const std::vector<JobEvent>& events = fold_->events();
  EXPECT_LE(events.size(), 4000u);
  EXPECT_EQ(events.front().sequence, 1u);
  EXPECT_GT(events.back().sequence, 10'000u);
  EXPECT_TRUE(std::is_sorted(events.begin(), events.end(),
                             [](const JobEvent& a, const JobEvent& b) { return a.sequence < b.sequence; }));
}

}  // namespace
}  // namespace muster
