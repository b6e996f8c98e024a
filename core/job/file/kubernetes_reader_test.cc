// SPDX-License-Identifier: Apache-2.0
// The map `kubernetes` of a job file.
#include <gmock/gmock.h>

#include "core/job/file/job_yaml.h"
#include "core/job/file/validate.h"

namespace muster {
namespace {

using testing::ElementsAre;

constexpr const char* kWhole = R"(name: all
command: [./train]
backend: kubernetes
kubernetes:
  image: train:7
  muster_image: muster:1
  pull_policy: IfNotPresent
  pull_secrets: [a, b]
  namespace: research
  service_account: trainer
  node_selector: {gpu: h100, size: 8}
  tolerations: [{key: gpu, operator: Exists, tolerationSeconds: 30}]
  priority_class: high
  runtime_class: nvidia
  scheduler: mine
  host_network: true
  host_ipc: true
  shm: 8GiB
  volumes:
    - {name: data, mount: /data, pvc: datasets, sub_path: x, read_only: true}
    - {name: conf, mount: /conf, config: {a.ini: "x = 1", b: ""}}
    - {name: ram, mount: /ram, memory: 1GiB}
    - {name: node, mount: /node, host_path: /mnt}
    - {name: keys, mount: /keys, secret: keys}
  resources: {rdma/hca: 1}
  gpu_resource: amd.com/gpu
  security: {restricted: true, privileged: true, user: 0, group: 1000, fs_group: 1000, capabilities: [IPC_LOCK]}
  labels: {team: vision}
  annotations: {note: "a: b"}
  exclusive_topology: rack
  pack: zone
  spread: kubernetes.io/hostname
  queue: team-a
  gang: kai
  ttl: 0s
  suspend: true
  deadline: 1h
  patch: {spec: {a: [1, true, null, "1", 1.5, no-trap, {b: {}}]}}
)";

ParsedJob parsed(const std::string& text) { return parse_job(text, "job.yaml"); }

std::vector<std::string> problems_in_block(const std::string& block) {
  const std::string text = "command: [x]\nkubernetes: " + block + "\n";
  std::vector<std::string> found;
  for (const Diagnostic& each : check_job(parsed(text), "job.yaml"))
    found.push_back(each.code + " " + std::to_string(each.where.line) + ":" + std::to_string(each.where.column));
  return found;
}

TEST(KubernetesReader, TakesEveryKey) {
  const ParsedJob job = parsed(kWhole);
  EXPECT_TRUE(check_job(job, "job.yaml").empty()) << render_diagnostics(job.diagnostics, kWhole, false);
  const KubernetesSpec& spec = job.spec.kubernetes;
  EXPECT_EQ(spec.pull_policy, PullPolicy::if_not_present);
  EXPECT_EQ(spec.tolerations, R"([{"key":"gpu","operator":"Exists","tolerationSeconds":30}])");
  EXPECT_EQ(spec.patch, R"({"spec":{"a":[1,true,null,"1",1.5,"no-trap",{"b":{}}]}})");
  EXPECT_EQ(spec.volumes.size(), 5U);
  EXPECT_EQ(spec.volumes[1].files, (std::map<std::string, std::string>{{"a.ini", "x = 1"}, {"b", ""}}));
  EXPECT_EQ(spec.security.user, 0U);
  EXPECT_EQ(spec.ttl, Duration(0));
  EXPECT_EQ(spec.gang, PodGang::kai);
}

TEST(KubernetesReader, ComesBackFromJson) {
  const JobSpec spec = parsed(kWhole).spec;
  const ParsedJob again = parse_job_json(spec_to_json(spec), "journal");
  EXPECT_TRUE(again.diagnostics.empty());
  EXPECT_EQ(again.spec, spec);
  EXPECT_EQ(parsed(spec_to_json(spec)).spec, spec);
}

TEST(KubernetesReader, IsNotWrittenWhereNothingIsSaid) {
  EXPECT_EQ(spec_to_json(parsed("command: [x]").spec).find("kubernetes"), std::string::npos);
}

TEST(KubernetesReader, GroupsSpeakForThemselves) {
  const JobSpec spec = parsed(
                           "groups: [{command: [x], kubernetes: {image: a, node_selector: {b: c}, resources: {cpu: 2}, "
                           "tolerations: [{key: d}]}}]")
                           .spec;
  EXPECT_EQ(spec.groups[0].kubernetes, (GroupPods{"a", {{"b", "c"}}, {{"cpu", "2"}}, R"([{"key":"d"}])"}));
  EXPECT_EQ(parse_job_json(spec_to_json(spec), "journal").spec, spec);
}

TEST(KubernetesReader, MistakesHaveTheirPlace) {
  EXPECT_THAT(problems_in_block("{imag: x}"), ElementsAre("E1201 2:14"));
  EXPECT_THAT(problems_in_block("{gang: kay}"), ElementsAre("E1204 2:20"));
  EXPECT_THAT(problems_in_block("{volumes: [{name: a, mout: /a}, b]}"), ElementsAre("E1201 2:34", "E1101 2:45"));
  EXPECT_THAT(problems_in_block("{tolerations: {key: a}}"), ElementsAre("E1101 2:27"));
  EXPECT_THAT(problems_in_block("{tolerations: [a]}"), ElementsAre("E1101 2:28"));
  EXPECT_THAT(problems_in_block("{patch: [a]}"), ElementsAre("E1101 2:21"));
  EXPECT_THAT(problems_in_block("{patch: {a: {b: yes}}}"), ElementsAre("E1105 2:29"));
  EXPECT_THAT(problems_in_block("{patch: {a: 1, a: 2}}"), ElementsAre("E1202 2:28"));
  EXPECT_THAT(problems_in_block("{pull_secrets: registry}"), ElementsAre("E1101 2:28"));
  EXPECT_THAT(problems_in_block("{security: {user: root}}"), ElementsAre("E1102 2:31"));
  EXPECT_THAT(problems_in_block("{ttl: 10}"), ElementsAre("E1106 2:19"));
}

TEST(KubernetesReader, FlagsReachIt) {
  ParsedJob job = parsed("command: [x]");
  apply_overrides(job, {{"kubernetes.image", "train:8", "--set"},
                        {"kubernetes.node_selector.gpu", "h100", "--set"},
                        {"kubernetes.resources.nvidia.com/gpu", "8", "--set"},
                        {"kubernetes.patch", "{spec: {suspend: true}}", "--set"}});
  EXPECT_TRUE(job.diagnostics.empty()) << render_diagnostics(job.diagnostics, "", false);
  EXPECT_EQ(job.spec.kubernetes.image, "train:8");
  EXPECT_EQ(job.spec.kubernetes.resources.at("nvidia.com/gpu"), "8");
  EXPECT_EQ(job.spec.kubernetes.patch, R"({"spec":{"suspend":true}})");
}

TEST(KubernetesReader, ConfigurationMayHaveIt) {
  const ParsedJob job = parse_job_with_config("command: [x]\nkubernetes: {image: a, labels: {x: y}}", "job.yaml",
                                              {{"muster.yaml", "kubernetes: {image: b, queue: q, labels: {z: w}}"}});
  EXPECT_TRUE(job.diagnostics.empty());
  EXPECT_EQ(job.spec.kubernetes.image, "a");
  EXPECT_EQ(job.spec.kubernetes.queue, "q");
  EXPECT_EQ(job.spec.kubernetes.labels.size(), 2U);
}

}  // namespace
}  // namespace muster
