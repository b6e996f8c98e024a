// SPDX-License-Identifier: Apache-2.0
// Events of Kubernetes 1.36, verbatim.
#include "backends/kubernetes/cluster/cluster_events.h"

#include <gtest/gtest.h>

#include "backends/kubernetes/cluster/recorded_answers_test.h"

namespace muster {
namespace {

const std::string kPod = "hello-worker-0-0-abcde";
const std::string kCreating =
    R"("phase":"Pending","conditions":[{"type":"PodReadyToStartContainers","status":"False"},{"type":"PodScheduled","status":"True"}],)"
    R"("containerStatuses":[{"name":"agent","state":{"waiting":{"reason":"PodInitializing"}}}])";
const std::string kUnbound =
    R"("phase":"Pending","conditions":[{"type":"PodScheduled","status":"False","reason":"Unschedulable",)"
    R"("message":"0/2 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found"}])";

struct ToldEvent {
  std::string kind;
  std::string name;
  std::string type;
  std::string reason;
  std::string message;
  std::string time = "2026-11-23T10:30:00Z";
};

std::string events_json(const std::vector<ToldEvent>& all) {
  std::string items;
  for (const ToldEvent& each : all)
    items += (items.empty() ? "" : ",") + std::string(R"({"involvedObject":{"kind":")") + each.kind + R"(","name":")" +
             each.name + R"("},"type":")" + each.type + R"(","reason":")" + each.reason + R"(","message":")" +
             each.message + R"(","lastTimestamp":")" + each.time + R"("})";
  return R"({"items":[)" + items + "]}";
}

ToldEvent about_pod(const std::string& reason, const std::string& message,
                    const std::string& time = "2026-11-23T10:30:00Z") {
  return {"Pod", kPod, "Warning", reason, message, time};
}

std::vector<PodFacts> pods_with(const std::string& status, const std::string& claim = "") {
  std::string json = recorded::pod("worker", status);
  const std::string place = R"("spec":{)";
  if (!claim.empty())
    json.insert(json.find(place) + place.size(),
                R"("volumes":[{"name":"data","persistentVolumeClaim":{"claimName":")" + claim + R"("}}],)");
  return *read_pods(json);
}

std::string waits_after(std::vector<PodFacts> all, const std::vector<ToldEvent>& told) {
  add_events(all, events_json(told));
  return all.at(0).waits;
}

TEST(ClusterEvents, AVolumeThatIsAttachedElsewhere_IsNamed) {
  const std::string multi =
      R"(Multi-Attach error for volume \"pvc-7\" Volume is already exclusively attached to one node and can't be attached to another)";
  EXPECT_EQ(waits_after(pods_with(kCreating), {about_pod("FailedAttachVolume", multi)}),
            "a volume: Multi-Attach error for volume \"pvc-7\" Volume is already exclusively attached to one node and "
            "can't be attached to another");
  const ToldEvent summary = about_pod(
      "FailedMount", "Unable to attach or mount volumes: unmounted volumes=[data]: timed out", "2026-11-23T10:32:03Z");
  EXPECT_TRUE(waits_after(pods_with(kCreating), {about_pod("FailedAttachVolume", multi), summary})
                  .starts_with("a volume: Multi"));
  EXPECT_TRUE(waits_after(pods_with(kCreating), {summary}).starts_with("a volume: Unable to attach"));
}

TEST(ClusterEvents, AMountThatFails_IsToldOnOneLine) {
  EXPECT_EQ(
      waits_after(
          pods_with(kCreating),
          {about_pod(
              "FailedMount",
              R"(MountVolume.SetUp failed for volume \"data\" : exit status 32\nOutput: mount.nfs: Connection refused\n)")}),
      "a volume: MountVolume.SetUp failed for volume \"data\" : exit status 32 Output: mount.nfs: Connection "
      "refused");
}

TEST(ClusterEvents, APodWithoutANetwork_IsTold) {
  EXPECT_EQ(waits_after(pods_with(kCreating), {about_pod("FailedCreatePodSandBox", "plugin type=bridge failed")}),
            "its containers on node-1: plugin type=bridge failed");
}

TEST(ClusterEvents, OtherEvents_SayNothing) {
  ToldEvent other = about_pod("FailedMount", "another pod's");
  other.name = "hello-worker-0-1-abcde";
  EXPECT_EQ(waits_after(pods_with(kCreating), {other, about_pod("FailedScheduling", "earlier")}),
            "its containers on node-1");
  std::string mounted = kCreating;
  mounted.replace(mounted.find("False"), 5, "True");
  EXPECT_TRUE(words_for_events(pods_with(mounted), false).empty());
  EXPECT_EQ(waits_after(pods_with(mounted), {about_pod("FailedMount", "earlier")}), "its containers on node-1");
}

TEST(ClusterEvents, AClaimWithoutAVolume_IsNamed) {
  const auto claim = [](const std::string& type, const std::string& reason, const std::string& message,
                        const std::string& time = "2026-11-23T10:30:00Z") {
    return ToldEvent{"PersistentVolumeClaim", "datasets", type, reason, message, time};
  };
  EXPECT_EQ(waits_after(pods_with(kUnbound), {}),
            "a volume: 0/2 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found");
  const std::string none = "no persistent volumes available for this claim and no storage class is set";
  EXPECT_EQ(waits_after(pods_with(kUnbound, "datasets"), {claim("Normal", "FailedBinding", none)}),
            "the volume of the claim `datasets`: " + none);
  EXPECT_TRUE(
      waits_after(pods_with(kUnbound, "other"), {claim("Normal", "FailedBinding", none)}).starts_with("a volume: 0/2"));
  const auto bound = {claim("Warning", "ProvisioningFailed", "quota"),
                      claim("Normal", "ProvisioningSucceeded", "done", "2026-11-23T10:31:00Z")};
  EXPECT_TRUE(waits_after(pods_with(kUnbound, "datasets"), bound).starts_with("a volume: 0/2"));
  // A claim whose volume is made for the node that the scheduler has chosen.
  const std::vector<PodFacts> unscheduled = *read_pods(
      R"({"metadata":{"name":"p"},"spec":{"volumes":[{"persistentVolumeClaim":{"claimName":"datasets"}}]},"status":{"phase":"Pending"}})");
  EXPECT_EQ(waits_after(unscheduled, {claim("Warning", "ProvisioningFailed", "quota")}),
            "the volume of the claim `datasets`: quota");
}

TEST(ClusterEvents, TheEventsThatAreAskedFor_DependOnThePods) {
  const auto selected = [](const std::vector<PodFacts>& all, bool lacks) {
    const auto words = words_for_events(all, lacks);
    return words.empty() ? "" : words.at(3);
  };
  EXPECT_EQ(selected(pods_with(kUnbound, "datasets"), true), "involvedObject.kind=PersistentVolumeClaim");
  EXPECT_EQ(selected(pods_with(kCreating), true), "type=Warning,involvedObject.kind=Pod");
  EXPECT_EQ(selected({}, true), "reason=FailedCreate,involvedObject.kind=Job");
  EXPECT_EQ(
      selected(pods_with(R"("phase":"Running","containerStatuses":[{"name":"agent","state":{"running":{}}}])"), false),
      "");
}

TEST(ClusterEvents, TheNewestRefusal_OfThisJob_IsRead) {
  const ToldEvent old{"Job",          "hello-worker-0",        "Warning",
                      "FailedCreate", "Error creating: first", "2026-11-23T10:29:00Z"};
  const ToldEvent last{"Job", "hello-worker-0", "Warning", "FailedCreate", "Error creating: exceeded quota: few"};
  EXPECT_EQ(read_refusal(events_json({last, old}), "hello"), "exceeded quota: few");
  EXPECT_EQ(read_refusal(events_json({last, about_pod("FailedMount", "x", "2026-11-23T10:40:00Z")}), "hello"),
            "exceeded quota: few");
  EXPECT_EQ(read_refusal(events_json({last}), "other"), "");
  EXPECT_EQ(read_refusal("no JSON", "hello"), "");
}

}  // namespace
}  // namespace muster
