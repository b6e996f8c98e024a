// SPDX-License-Identifier: Apache-2.0
// Gang: ranks of a framework, for tests.
#pragma once

#include "core/framework/framework.h"

namespace muster {

// Two nodes with two ranks each, a GPU for every rank.
struct Gang {
  explicit Gang(Framework framework) {
    spec.framework = framework;
    spec.groups.resize(1);
    spec.groups[0].command = {"python3", "-u", "train.py", "--lr=1"};
    spec.restarts.limit = 3;
    for (uint32_t i = 0; i < 4; ++i) plan.ranks.push_back(rank(i));
    plan.nodes = {{0, 0, "ares", {0, 1}}, {1, 0, "bern", {2, 3}}};
    place.attempt = 2;
    place.restarts = 1;
    place.job_name = "fashion";
    place.job = *JobId::parse("aaaaaaaaaaaaaaaaaaaaaaaaaa");
    place.endpoints = {{"10.0.0.1", 23456}};
    place.addresses = {"10.0.0.1", "10.0.0.2"};
  }

  static PlannedRank rank(uint32_t number) {
    PlannedRank rank;
    rank.rank = rank.world_rank = number;
    rank.local_rank = number % 2;
    rank.node = rank.group_node = number / 2;
    rank.world_size = 4;
    rank.local_size = rank.group_nodes = 2;
    rank.gpus = {{number % 2, "GPU-" + std::to_string(number), "", 0, -1}};
    return rank;
  }

  // Two for each rank: 20001 and 20002 on the first node, and so on.
  void lease_ports() {
    place.ports = {{{"rank-0", {20001, 20002}}, {"rank-1", {20003, 20004}}},
                   {{"rank-0", {20005, 20006}}, {"rank-1", {20007, 20008}}}};
  }

  RankPlace view(uint32_t index) const { return {spec, plan, plan.ranks.at(index), place, "/run/worker.error.json"}; }
  std::map<std::string, std::string> variables(uint32_t index) const {
    RankVariables found = framework_variables(view(index));
    found.over.merge(found.gaps);
    return found.over;
  }

  JobSpec spec;
  Plan plan;
  AttemptPlace place;
};

}  // namespace muster
