// SPDX-License-Identifier: Apache-2.0
#include "backends/kubernetes/cluster/cluster_facts.h"

#include <gtest/gtest.h>

#include "backends/kubernetes/cluster/recorded_answers_test.h"

namespace muster {
namespace {

TEST(ClusterFacts, AJobSet_IsReadWithItsJob) {
  const auto jobs = read_job_sets(
      recorded::job_set("", R"({"name":"coordinator","ready":0,"active":1,"succeeded":0,"failed":0,"suspended":0})"));
  ASSERT_TRUE(jobs.ok());
  const JobSetFacts& job = jobs->at(0);
  EXPECT_EQ(job.name, "hello");
  EXPECT_EQ(job.uid, "a6334c4c-d0f0-4e66-8e89-d83f0830219b");
  EXPECT_EQ(format_utc(job.created).substr(0, 19), format_utc(read_cluster_time("2026-11-23T10:28:40Z")).substr(0, 19));
  EXPECT_EQ(job.spec_json, R"({"name":"hello","command":["true"]})");
  EXPECT_EQ(job.end, JobSetFacts::End::none);
  EXPECT_EQ(job.parts, (std::vector<PodCount>{{"coordinator", 0, 1, 0, 0}}));
}

TEST(ClusterFacts, ItsEnd_IsTheConditionThatHolds) {
  const auto failed = read_job_sets(recorded::job_set(
      R"({"type":"Completed","status":"False"},{"type":"Failed","status":"True","reason":"FailedJobs","message":"jobset failed due to one or more job failures","lastTransitionTime":"2026-11-23T10:30:00Z"})"));
  EXPECT_EQ(failed->at(0).end, JobSetFacts::End::failed);
  EXPECT_EQ(failed->at(0).why, "jobset failed due to one or more job failures");
  EXPECT_EQ(failed->at(0).ended, read_cluster_time("2026-11-23T10:30:00Z"));
}

TEST(ClusterFacts, APodThatWaits_SaysForWhat) {
  const auto said = [](const std::string& status) { return read_pods(recorded::pod("worker", status))->at(0).waits; };
  EXPECT_EQ(
      said(
          R"("phase":"Pending","conditions":[{"type":"PodScheduled","status":"False","reason":"Unschedulable","message":"0/2 nodes are available: 2 Insufficient cpu."}])"),
      "a node: 0/2 nodes are available: 2 Insufficient cpu.");
  EXPECT_EQ(
      said(
          R"("phase":"Pending","containerStatuses":[{"name":"agent","state":{"waiting":{"reason":"ImagePullBackOff","message":"Back-off pulling image \"nope:1\""}}}])"),
      "container agent: ImagePullBackOff: Back-off pulling image \"nope:1\"");
  EXPECT_EQ(
      said(
          R"("phase":"Pending","initContainerStatuses":[{"name":"muster","state":{"waiting":{"reason":"CrashLoopBackOff","message":"back-off 10s"}},"lastState":{"terminated":{"message":"no space left"}}}])"),
      "container muster: CrashLoopBackOff: no space left");
  EXPECT_EQ(
      said(
          R"("phase":"Pending","containerStatuses":[{"name":"agent","state":{"waiting":{"reason":"ContainerCreating"}}}])"),
      "its containers on node-1");
  EXPECT_EQ(said(R"("phase":"Running","containerStatuses":[{"name":"agent","ready":true,"state":{"running":{}}}])"),
            "");
}

TEST(ClusterFacts, AnEndedCoordinator_HasATerminationMessage) {
  const auto pods = read_pods(recorded::pod(
      "coordinator",
      R"("phase":"Succeeded","containerStatuses":[{"name":"coordinator","state":{"terminated":{"exitCode":0,"message":"failed: rank 1 exited 7"}}}])"));
  EXPECT_TRUE(pods->at(0).over);
  EXPECT_FALSE(pods->at(0).running);
  EXPECT_EQ(pods->at(0).termination_message, "failed: rank 1 exited 7");
}

TEST(ClusterFacts, Containers_BehindASidecar_AreFoundByName) {
  const auto ended = read_pods(recorded::pod_with_sidecar(
      "coordinator", "Running",
      R"({"name":"coordinator","state":{"terminated":{"exitCode":0,"message":"failed: rank 1 exited 7"}}})"));
  EXPECT_TRUE(ended->at(0).over);
  EXPECT_FALSE(ended->at(0).running);
  EXPECT_EQ(ended->at(0).termination_message, "failed: rank 1 exited 7");
  const auto killed = read_pods(recorded::pod_with_sidecar(
      "worker", "Running",
      R"({"name":"agent","state":{"running":{}},"lastState":{"terminated":{"exitCode":137,"reason":"OOMKilled"}}})"));
  EXPECT_TRUE(killed->at(0).running);
  EXPECT_EQ(killed->at(0).last_reason, "OOMKilled");
  const auto begins = read_pods(recorded::pod_with_sidecar(
      "trainer", "Pending", R"({"name":"agent","state":{"waiting":{"reason":"PodInitializing"}}})"));
  EXPECT_FALSE(begins->at(0).running);
}

TEST(ClusterFacts, WhatIsNoAnswer_IsRefused_AndAnythingElseIsTaken) {
  EXPECT_FALSE(read_job_sets("").ok());
  EXPECT_FALSE(read_pods("[1]").ok());
  EXPECT_TRUE(read_pods(R"({"items":[1,{"metadata":"x","status":{"conditions":{}}}]})").ok());
  EXPECT_EQ(read_cluster_time("2026-99-23T10:28:40Z"), TimePoint());
  EXPECT_EQ(read_cluster_time("soon"), TimePoint());
}

TEST(ClusterFacts, Workload_WithoutQuota_HasAReason) {
  const std::string reserved =
      R"({"items":[{"status":{"conditions":[{"type":"Evicted","status":"True","message":"Preempted"},
      {"type":"QuotaReserved","status":"False","message":"insufficient unused quota for cpu in flavor default"}]}}]})";
  EXPECT_EQ(read_queue_reason(reserved), "insufficient unused quota for cpu in flavor default");
  EXPECT_EQ(read_queue_reason(R"({"items":[{"status":{}}]})"), "");
  EXPECT_EQ(read_queue_reason("no JSON"), "");
}

}  // namespace
}  // namespace muster
