// SPDX-License-Identifier: Apache-2.0
// Reports what a cluster cannot run, with codes and positions.
#include <gmock/gmock.h>

#include "backends/kubernetes/manifest/manifest.h"
#include "core/job/file/validate.h"

namespace muster {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<Diagnostic> found_in(const std::string& text) {
  const ParsedJob job = parse_job(text, "job.yaml");
  const auto problems = check_job(job, "job.yaml");
  EXPECT_TRUE(problems.empty()) << render_diagnostics(problems, text, false);
  return check_for_cluster(job.spec, {.name = job.spec.name, .image = "muster:1"}, "job.yaml", job.places);
}

std::vector<std::string> problems_of(const std::string& more, const std::string& block = "") {
  const std::string image = more.find("image") == std::string::npos ? "image: train:7, " : "";
  const std::string text = "name: job\n" +
                           (more.find("command") == std::string::npos ? "command: [x]\n" : std::string()) +
                           "kubernetes: {" + image + block + "}\n" + more + "\n";
  std::vector<std::string> found;
  for (const Diagnostic& each : found_in(text))
    found.push_back(each.code + " " + std::to_string(each.where.line) + ":" + std::to_string(each.where.column));
  return found;
}

std::vector<std::string> of_block(const std::string& block) {
  std::vector<std::string> found;
  for (const Diagnostic& each : found_in("name: job\ncommand: [x]\nkubernetes: {image: a, " + block + "}\n"))
    found.push_back(each.code + " " + std::to_string(each.where.column - 23) + " " +
                    (each.suggestions.empty() ? "" : each.suggestions[0]));
  return found;
}

TEST(ManifestCheck, TakesAPlainJob) { EXPECT_THAT(problems_of(""), IsEmpty()); }

TEST(ManifestCheck, WantsAnImage) {
  const auto found = found_in("name: a\ncommand: [x]\nkubernetes: {queue: q}\n");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].code, "E1601");
  EXPECT_EQ(found[0].where.line, 3U);
  EXPECT_THAT(found[0].help, testing::HasSubstr("--set kubernetes.image=REGISTRY/NAME:TAG"));
  EXPECT_THAT(found_in("name: a\ngroups: [{command: [x], kubernetes: {image: b}}]"), IsEmpty());
}

TEST(ManifestCheck, RefusesByNameWhatAClusterDoesNotHave) {
  EXPECT_THAT(problems_of("workdir: {sync: true}"), ElementsAre("E1604 4:17"));
  EXPECT_THAT(problems_of("outputs: [a]"), ElementsAre("E1604 4:10"));
  EXPECT_THAT(problems_of("placement: cyclic"), ElementsAre("E1604 4:12"));
  EXPECT_THAT(problems_of("priority: 5"), ElementsAre("E1604 4:11"));
  EXPECT_THAT(problems_of("hold: true"), ElementsAre("E1604 4:7"));
  EXPECT_THAT(problems_of("busy_gpus: take"), ElementsAre("E1604 4:12"));
  EXPECT_THAT(problems_of("tty: 0"), ElementsAre("E1604 4:6"));
  EXPECT_THAT(problems_of("timeouts: {queue: 1h}"), ElementsAre("E1604 4:19"));
  EXPECT_THAT(problems_of("label: rack"), ElementsAre("E1604 4:8"));
  EXPECT_THAT(problems_of("nodes: 2..4"), ElementsAre("E1604 4:8"));
  EXPECT_THAT(problems_of("hosts: [a1]"), ElementsAre("E1604 4:8"));
}

TEST(ManifestCheck, KeepsNamesOfPodsShortEnough) {
  const std::string forty(40, 'j');
  const auto lengths = [&](const std::string& group, int nodes) {
    return found_in("name: " + forty + "\nkubernetes: {image: a}\ngroups: [{name: " + group +
                    ", nodes: " + std::to_string(nodes) + ", command: [x]}]");
  };
  EXPECT_THAT(lengths(std::string(12, 'g'), 10), IsEmpty());
  const auto found = lengths(std::string(12, 'g'), 11);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].code, "E1602");
  EXPECT_EQ(found[0].where.line, 3U);
  EXPECT_EQ(found[0].help, "shorten the name of the job or of the group by 1");
}

TEST(ManifestCheck, GroupsAreNotCalledLikePodsOfOurs) {
  EXPECT_THAT(problems_of("groups: [{name: verdict, command: [x]}]"), ElementsAre("E1603 3:17"));
  EXPECT_THAT(problems_of("groups: [{name: coordinator, command: [x]}]"), ElementsAre("E1603 3:17"));
}

TEST(ManifestCheck, NamesAndLabels) {
  EXPECT_THAT(of_block("namespace: My_Team"), ElementsAre("E1606 12 "));
  EXPECT_THAT(of_block("queue: -a"), ElementsAre("E1606 8 "));
  EXPECT_THAT(of_block("labels: {a: b c}"), ElementsAre("E1606 10 "));
  EXPECT_THAT(of_block("labels: {muster.dev/job: x}"), ElementsAre("E1606 10 "));
  EXPECT_THAT(of_block("node_selector: {a/b/c: d}"), ElementsAre("E1606 17 "));
  EXPECT_THAT(of_block("annotations: {a: any text at all}"), IsEmpty());
  EXPECT_THAT(of_block("muster_image: Registry/Muster:V1"), ElementsAre("E1606 15 registry/muster:V1"));
  EXPECT_THAT(of_block("muster_image: \"host:5000/a/b:V1@sha256:AB\""), IsEmpty());
}

TEST(ManifestCheck, Quantities) {
  EXPECT_THAT(of_block("resources: {memory: 16GiB}"), ElementsAre("E1605 13 16Gi"));
  EXPECT_THAT(of_block("resources: {cpu: many}"), ElementsAre("E1605 13 "));
  EXPECT_THAT(of_block("resources: {nvidia.com/gpu: 500m}"), ElementsAre("E1605 12 "));
}

TEST(ManifestCheck, GpusAreSaidOnce) {
  const std::string four = "resources: {nvidia.com/gpu: 4}";
  EXPECT_THAT(problems_of("workers: 4\nworker: {gpus: 1}", four), IsEmpty());
  EXPECT_THAT(problems_of("workers: 2\nworker: {gpus: 1}", four), IsEmpty());
  EXPECT_THAT(problems_of("workers: 8\nworker: {gpus: 1}", four), ElementsAre("E1608 5:16"));
}

TEST(ManifestCheck, Volumes) {
  const auto of_volume = [](const std::string& volume) { return of_block("volumes: [" + volume + "]"); };
  EXPECT_THAT(of_volume("{name: a, mount: /a, pvc: b}"), IsEmpty());
  EXPECT_THAT(of_volume("{mount: /a, pvc: b}"), ElementsAre("E1607 11 "));
  EXPECT_THAT(of_volume("{name: muster, mount: /a, pvc: b}"), ElementsAre("E1607 18 "));
  EXPECT_THAT(of_volume("{name: a, mount: a, pvc: b}"), ElementsAre("E1607 28 "));
  EXPECT_THAT(of_volume("{name: a, mount: /a}"), ElementsAre("E1607 11 "));
  EXPECT_THAT(of_volume("{name: a, mount: /a, pvc: b, secret: c}"), ElementsAre("E1607 11 "));
  EXPECT_THAT(of_volume("{name: a, mount: /a, host_path: b}"), ElementsAre("E1607 43 "));
  EXPECT_THAT(of_volume("{name: a, mount: /a, config: {\"a/b\": c}}"), ElementsAre("E1607 41 "));
  EXPECT_THAT(of_volume("{name: a, mount: /a, pvc: b}, {name: a, mount: /a, pvc: c}"),
              ElementsAre("E1607 48 ", "E1607 58 "));
  EXPECT_THAT(of_volume("{name: a, mount: /muster, pvc: b}"), ElementsAre("E1607 28 "));
}

TEST(ManifestCheck, RestrictedContradicts) {
  EXPECT_THAT(of_block("security: {restricted: true, user: 1000, capabilities: [NET_BIND_SERVICE]}"), IsEmpty());
  EXPECT_THAT(of_block("security: {restricted: true, user: 0}"), ElementsAre("E1609 36 "));
  EXPECT_THAT(of_block("host_network: true, security: {restricted: true}"), ElementsAre("E1609 15 "));
}

TEST(ManifestCheck, PatchesLeaveTheJobsIdentityAlone) {
  EXPECT_THAT(of_block("patch: {metadata: {name: b}}"), ElementsAre("E1610 8 "));
  EXPECT_THAT(of_block("patch: {kind: Job}"), ElementsAre("E1610 8 "));
  EXPECT_THAT(of_block("patch: {spec: {replicatedJobs: [{name: other}]}}"), ElementsAre("E1610 8 "));
  EXPECT_THAT(of_block("patch: {spec: {replicatedJobs: [{name: worker, replicas: 1}]}}"), IsEmpty());
  EXPECT_THAT(of_block("patch: {spec: 5}"), IsEmpty());
}

TEST(ManifestCheck, AJobFitsIntoAVariable) {
  const auto found = found_in("name: a\ncommand: [x, \"" + std::string(70'000, 'a') +
                              "\"]\nkubernetes: {image: b}\nenv: {A: \"" + std::string(70'000, 'b') + "\"}");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].code, "E1611");
}

TEST(ManifestCheck, WhatIsNoTextIsRefused) {
  ParsedJob job = parse_job("name: a\ncommand: [x]\nkubernetes: {image: b}", "job.yaml");
  job.spec.kubernetes.annotations["a"] = "\xff";
  const auto found = check_for_cluster(job.spec, {.name = "a"}, "job.yaml", job.places);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].code, "E1606");
}

TEST(SettledForCluster, CountsAreNumbers) {
  const auto settled = [](const std::string& text) {
    const GroupSpec group = settled_for_cluster(parse_job("command: [x]\n" + text, "job.yaml").spec).groups[0];
    return to_string(group.workers) + " " + to_string(group.worker.gpus);
  };
  const std::string eight = "\nkubernetes: {resources: {nvidia.com/gpu: 8}}";
  EXPECT_EQ(settled("workers: auto"), "1 0");
  EXPECT_EQ(settled("workers: auto" + eight), "8 1");
  EXPECT_EQ(settled("workers: auto\nworker: {gpus: 2}" + eight), "4 2");
  EXPECT_EQ(settled("workers: 2" + eight), "2 4");
  EXPECT_EQ(settled("workers: 2\nworker: {gpus: 0}" + eight), "2 0");
  EXPECT_EQ(settled("workers: 4\nworker: {gpus: 1}"), "4 1");
  EXPECT_EQ(settled("workers: 4"), "4 0");
}

TEST(Manifest, AreTheSameEachTime) {
  const JobSpec spec = parse_job("name: a\nnodes: 1000\ncommand: [x]\nkubernetes: {image: b}", "job.yaml").spec;
  const ClusterJob job{.name = "a", .image = "muster:1"};
  EXPECT_EQ(manifest_objects(spec, job), manifest_objects(spec, job));
}

}  // namespace
}  // namespace muster
