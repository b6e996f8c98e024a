// SPDX-License-Identifier: Apache-2.0
#include "backends/kubernetes/cluster/cluster_view.h"

#include <gtest/gtest.h>

#include "backends/kubernetes/cluster/recorded_answers_test.h"

namespace muster {
namespace {

const std::string kFailed =
    R"({"type":"Failed","status":"True","message":"jobset failed due to one or more job failures","lastTransitionTime":"2026-11-23T10:30:00Z"})";
const std::string kCompleted =
    R"({"type":"Completed","status":"True","message":"jobset completed successfully","lastTransitionTime":"2026-11-23T10:30:00Z"})";

JobSetFacts job(const std::string& conditions = "", const std::string& parts = "") {
  return read_job_sets(recorded::job_set(conditions, parts))->at(0);
}

PodFacts pod(const std::string& part, const std::string& status, const std::string& created = "2026-11-23T10:28:41Z") {
  return read_pods(recorded::pod(part, status, created))->at(0);
}

PodFacts ended_coordinator(const std::string& words) {
  return pod(
      "coordinator",
      R"("phase":"Succeeded","containerStatuses":[{"name":"coordinator","state":{"terminated":{"exitCode":0,"message":")" +
          words + R"("}}}])");
}

const std::string kRunning = R"("phase":"Running","containerStatuses":[{"name":"coordinator","state":{"running":{}}}])";

TEST(ClusterView, AnEnd_ShowsTheTerminationMessage) {
  const JobView failed = cluster_view(job(kFailed), {ended_coordinator("failed: rank 1 exited 7\\n\\nmore of it")});
  EXPECT_EQ(failed.state, "failed");
  EXPECT_EQ(failed.sentence, "failed: rank 1 exited 7");
  EXPECT_EQ(failed.exit_code, 1);
  EXPECT_TRUE(failed.done);
  const JobView stopped = cluster_view(job(kFailed), {ended_coordinator("cancelled: stopped by you")});
  EXPECT_EQ(stopped.state, "cancelled");
  EXPECT_EQ(stopped.exit_code, 130);
  const JobView good = cluster_view(job(kCompleted), {ended_coordinator("succeeded in 3 s")});
  EXPECT_EQ(good.state, "succeeded");
  EXPECT_EQ(good.exit_code, 0);
}

TEST(ClusterView, WithoutATerminationMessage_TheJobSetsReasonIsShown) {
  const JobView failed = cluster_view(job(kFailed), {});
  EXPECT_EQ(failed.state, "failed");
  EXPECT_EQ(failed.sentence, "jobset failed due to one or more job failures");
}

TEST(ClusterView, WaitingPods_NameTheFirstReason_AndHowManyMore) {
  const PodFacts waiting = pod(
      "worker",
      R"("phase":"Pending","conditions":[{"type":"PodScheduled","status":"False","message":"0/2 nodes are available"}])");
  const JobView view = waiting_view(job("", R"({"name":"worker","ready":0,"active":2})"), {waiting, waiting});
  EXPECT_EQ(view.state, "queued");
  EXPECT_EQ(view.waits_for, "a node: 0/2 nodes are available (pod hello-worker-0-0-abcde), and 1 more pod");
  EXPECT_TRUE(view.ranks.empty());
}

TEST(ClusterView, APodWithAReason_IsNamedBeforeOneWhoseContainersBegin) {
  const std::string begins =
      R"("phase":"Pending","containerStatuses":[{"name":"agent","state":{"waiting":{"reason":"ContainerCreating"}}}])";
  PodFacts second = pod("worker", begins);
  second.name = "hello-worker-0-1-abcde";
  const JobSetFacts facts =
      job("", R"({"name":"coordinator","ready":0,"active":1},{"name":"worker","ready":0,"active":2})");
  JobView view = waiting_view(facts, {pod("worker", begins), second});
  EXPECT_EQ(view.waits_for, "its containers on node-1 (pod hello-worker-0-0-abcde), and 1 more pod");
  tell_wait(
      view, {pod("worker", begins), second},
      R"({"items":[{"involvedObject":{"kind":"Pod","name":"hello-worker-0-1-abcde"},"type":"Warning","reason":"FailedAttachVolume","message":"Multi-Attach error"}]})");
  EXPECT_EQ(view.waits_for, "a volume: Multi-Attach error (pod hello-worker-0-1-abcde), and 1 more pod");
}

TEST(ClusterView, SuspendedJob_NamesItsQueue) {
  JobSetFacts facts = job();
  facts.suspended = true;
  facts.queue = "team";
  facts.why = "no capacity";
  EXPECT_EQ(cluster_view(facts, {}).waits_for, "the queue `team` to admit it: no capacity");
}

TEST(ClusterView, WhenAllPodsAreReady_ItRuns) {
  const JobView view = cluster_view(
      job("", R"({"name":"coordinator","ready":0,"active":1},{"name":"worker","ready":1,"active":1})"), {});
  EXPECT_EQ(view.state, "running");
  ASSERT_EQ(view.ranks.size(), 1u);
  EXPECT_EQ(view.ranks[0].name, "rank 0");
  EXPECT_EQ(view.ranks[0].phase, RankPhase::running);
}

TEST(ClusterView, WhenPodsAreNeverReady_ItRunsOnceNoneWaits) {
  const JobSetFacts unready =
      job("", R"({"name":"coordinator","ready":0,"active":1},{"name":"worker","ready":0,"active":1})");
  const PodFacts waiting = pod("worker", R"("phase":"Pending")");
  const PodFacts runs =
      pod("worker", R"("phase":"Running","containerStatuses":[{"name":"agent","state":{"running":{}}}])");
  PodFacts leaving = waiting;
  leaving.leaving = true;
  EXPECT_TRUE(pods_may_wait(unready));
  EXPECT_EQ(cluster_view(unready, {}).state, "running");
  EXPECT_EQ(cluster_view(unready, {runs, leaving}).state, "running");
  EXPECT_EQ(cluster_view(unready, {waiting}).state, "queued");
  EXPECT_EQ(cluster_view(unready, {waiting, runs}).state, "placing");
  EXPECT_FALSE(pods_may_wait(job(kCompleted)));
}

TEST(ClusterView, TheNewestCoordinator_IsAsked_UnlessItLeaves) {
  PodFacts old = pod("coordinator", kRunning, "2026-11-23T10:00:00Z");
  PodFacts newer = pod("coordinator", kRunning, "2026-11-23T11:00:00Z");
  newer.name = "newer";
  EXPECT_EQ(coordinator_of({newer, old})->name, "newer");
  newer.leaving = true;
  EXPECT_NE(coordinator_of({newer, old})->name, "newer");
  EXPECT_TRUE(can_be_asked({old}));
  EXPECT_FALSE(can_be_asked({pod("worker", kRunning)}));
}

TEST(ClusterView, ACoordinatorThatWasEvicted_IsNoEnd) {
  const PodFacts evicted = pod(
      "coordinator",
      R"("phase":"Failed","reason":"Evicted","containerStatuses":[{"name":"coordinator","state":{"terminated":{"exitCode":137}}}])");
  EXPECT_FALSE(has_ended(job(), {evicted}));
  EXPECT_TRUE(has_ended(job(), {ended_coordinator("failed: x")}));
  EXPECT_FALSE(has_ended(job(kFailed), {pod("coordinator", kRunning)}));  // it tells more than the cluster
}

TEST(ClusterView, ACoordinatorThatWasToldToEnd_IsNoEnd_WhateverItsLogSaid) {
  const auto told_to_end = [](const std::string& words) {
    return pod(
        "coordinator",
        R"("phase":"Failed","containerStatuses":[{"name":"coordinator","state":{"terminated":{"exitCode":1,"message":")" +
            words + R"("}}}])");
  };
  const PodFacts ended = told_to_end("train  2 ranks on train-worker-0-0, train-worker-0-1");
  EXPECT_FALSE(has_ended(job(), {ended}));
  JobSetFacts deleted = job();
  deleted.leaving = true;
  EXPECT_EQ(cluster_view(deleted, {ended}).state, "stopping");
  EXPECT_EQ(cluster_view(job(), {told_to_end("cancelled: stopped by the user")}).state, "cancelled");
  EXPECT_EQ(cluster_view(job(), {told_to_end("the job cannot run: no")}).state, "failed");
}

TEST(ClusterView, ASidecarThatRunsOn_DoesNotHideTheEnd) {
  const auto coordinator = [](const std::string& state) {
    return read_pods(
               recorded::pod_with_sidecar("coordinator", "Running", R"({"name":"coordinator","state":)" + state + "}"))
        ->at(0);
  };
  const PodFacts ended = coordinator(R"({"terminated":{"exitCode":0,"message":"failed: rank 1 exited 7"}})");
  EXPECT_TRUE(has_ended(job(), {ended}));
  EXPECT_FALSE(can_be_asked({ended}));
  EXPECT_EQ(cluster_view(job(), {ended}).state, "failed");
  EXPECT_TRUE(can_be_asked({coordinator(R"({"running":{}})")}));
  EXPECT_FALSE(can_be_asked({coordinator(R"({"waiting":{"reason":"ContainerCreating"}})")}));
}

TEST(ClusterView, ItsId_IsOneAndStays) {
  EXPECT_FALSE(id_of(job()).empty());
  EXPECT_EQ(id_of(job()), id_of(job(kFailed)));
}

}  // namespace
}  // namespace muster
