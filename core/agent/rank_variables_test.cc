// SPDX-License-Identifier: Apache-2.0
// The variables that ranks of each framework start with: on this machine, on hosts over ssh and in pods.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "core/agent/local_tasks.h"
#include "core/attempt/assignment.h"
#include "core/base/text.h"
#include "core/job/template_text.h"

namespace muster {
namespace {

// Two nodes, as a backend gives them to the agents.
struct Place {
  std::string title;
  std::vector<std::string> hosts;
  std::vector<std::string> addresses;
  bool own_environment;  // Capabilities::own_environment of the backend
  bool gpus;
};

const Place kLocal{"two nodes on this machine, without GPUs", {"ws1", "ws1"}, {"127.0.0.1", "127.0.0.1"}, false, false};
const Place kHosts{"two hosts over ssh, a GPU for each rank", {"ares", "bern"}, {"10.0.0.1", "10.0.0.2"}, true, true};
const Place kPods{"two pods, without GPUs", {"fashion-0", "fashion-1"}, {"10.244.1.7", "10.244.2.9"}, true, false};

PlannedRank planned(uint32_t number, bool gpus) {
  PlannedRank rank;
  rank.rank = rank.world_rank = number;
  rank.local_rank = number % 2;
  rank.node = rank.group_node = number / 2;
  rank.world_size = 4;
  rank.local_size = rank.group_nodes = 2;
  if (gpus) rank.gpus = {{number % 2, "GPU-" + std::to_string(number), "", 0, -1}};
  return rank;
}

Submission job_on(const Place& nodes, Framework framework) {
  Submission job;
  job.id = *JobId::parse("aaaaaaaaaaaaaaaaaaaaaaaaaa");
  job.name = "fashion";
  job.spec.framework = framework;
  job.spec.restarts.limit = 3;
  job.spec.groups.resize(1);
  job.spec.groups[0].command = {"python3", "train.py"};
  if (framework == Framework::custom) {
    for (const std::string& word : template_words()) job.spec.custom["MY_" + word] = "<${" + word + "}>";
  }
  for (uint32_t number = 0; number < 4; ++number) job.plan.ranks.push_back(planned(number, nodes.gpus));
  job.plan.nodes = {{0, 0, nodes.hosts[0], {0, 1}}, {1, 0, nodes.hosts[1], {2, 3}}};
  return job;
}

AttemptPlace place_of(const Submission& job, const Place& nodes) {
  AttemptPlace place;
  place.attempt = 2;
  place.restarts = 1;
  place.job = job.id;
  place.job_name = job.name;
  place.endpoints = {{nodes.addresses[0], 23456}};
  uint16_t next = 20001;
  for (NodeIndex node = 0; node < 2; ++node) {
    place.addresses.push_back(nodes.addresses[node]);
    place.loopbacks.push_back("127.0.0.1");
    PortsByOwner ports;
    for (const auto& [owner, count] : ports_needed(job, node)) {
      for (uint32_t i = 0; i < count; ++i) ports[owner].push_back(next++);
    }
    place.ports.push_back(ports);
  }
  return place;
}

using Values = std::vector<std::string>;  // by rank; "-" where the variable is not set

std::map<std::string, Values> variables_of_ranks(const Place& nodes, Framework framework) {
  const Submission job = job_on(nodes, framework);
  const AttemptPlace place = place_of(job, nodes);
  std::map<std::string, Values> variables;
  const auto add = [&](uint32_t index, const std::map<std::string, std::string>& found) {
    for (const auto& [name, value] : found) variables.try_emplace(name, Values(4, "-")).first->second[index] = value;
  };
  for (NodeIndex node = 0; node < 2; ++node) {
    const Bind bind =
        bind_of(job, {}, node, {.address = nodes.addresses[node], .own_environment = nodes.own_environment});
    const HostEnvironment host{{}, {{nodes.addresses[node], "eth0"}}, "/usr/bin/muster"};
    const auto path = [](const PlannedRank&, OutputStream) { return std::string("worker.out"); };
    for (const RankTask& task : with_own_values(bind, host, tasks_of(job, {}, node, place, path))) {
      add(task.index, node_environment(bind, host));
      add(task.index, task.environment);
      for (const auto& [name, text] : files_of(job, node, place)) add(task.index, {{"file " + name, text}});
    }
  }
  return variables;
}

std::string text_of(const Place& nodes, Framework framework) {
  std::string text = nodes.title + " (a | b: by rank)\n";
  for (const auto& [name, values] : variables_of_ranks(nodes, framework)) {
    const bool same = std::count(values.begin(), values.end(), values[0]) == 4;
    text += "  " + name + "=" + (same ? values[0] : join(values, " | ")) + "\n";
  }
  return text;
}

// test/golden/ranks. MUSTER_REWRITE_GOLDEN=1 writes the files again.
TEST(RankVariables, OnEachBackend_AreThoseThatWereReviewed) {
  for (const Framework framework : all_frameworks()) {
    const std::string name(to_string(framework));
    const std::string path = std::string(MUSTER_SOURCE_DIR) + "/test/golden/ranks/" + name + ".txt";
    std::string found;
    for (const Place* nodes : {&kLocal, &kHosts, &kPods}) found += text_of(*nodes, framework) + "\n";
    if (std::getenv("MUSTER_REWRITE_GOLDEN") != nullptr) std::ofstream(path, std::ios::binary) << found;
    std::stringstream expected;
    expected << std::ifstream(path, std::ios::binary).rdbuf();
    EXPECT_EQ(found, expected.str()) << path;
  }
}

}  // namespace
}  // namespace muster
