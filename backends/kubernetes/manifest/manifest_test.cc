// SPDX-License-Identifier: Apache-2.0
// The parts of a manifest that depend on the size of the job. The rest is compared with golden files
// (launcher/view/manifests_golden_test.cc).
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "backends/kubernetes/manifest/manifest.h"

namespace muster {
namespace {

using Json = nlohmann::json;

Json coordinator_of(uint32_t nodes) {
  JobSpec spec;
  spec.name = "job";
  GroupSpec group;
  group.name = "worker";
  group.min_nodes = group.max_nodes = nodes;
  group.command = {"x"};
  spec.groups.push_back(group);
  const Json object = Json::parse(job_set_object(spec, {.name = "job", .image = "muster:1"}));
  return object["spec"]["replicatedJobs"][0]["template"]["spec"];
}

Json memory_of(uint32_t nodes) {
  const Json wanted = coordinator_of(nodes)["template"]["spec"]["containers"][0]["resources"];
  return {wanted["requests"]["memory"], wanted["limits"]["memory"]};
}

TEST(Manifest, CoordinatorOfManyPods_AsksForMemoryOfAllLinks) {
  EXPECT_EQ(memory_of(2), Json({"64Mi", "256Mi"}));
  EXPECT_EQ(memory_of(199), Json({"64Mi", "256Mi"}));
  EXPECT_EQ(memory_of(1199), Json({"264Mi", "1056Mi"}));
}

TEST(Manifest, CoordinatorsJobHasNoIndicesAndItsPodTheNameThatAgentsDial) {
  const Json job = coordinator_of(2);
  EXPECT_EQ(job["completionMode"], "NonIndexed");
  EXPECT_EQ(job["template"]["spec"]["hostname"], "job-coordinator-0-0");
}

}  // namespace
}  // namespace muster
