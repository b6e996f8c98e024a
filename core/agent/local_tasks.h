// SPDX-License-Identifier: Apache-2.0
// LocalTasks: adapts the tasks of an attempt to this node: the host's own values of variables, and shorter paths for sockets
// whose paths are too long for the kernel. Loop thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/agent/provision/node_preparation.h"
#include "core/agent/rank/rank_set.h"
#include "core/port/agent_messages.h"
#include "core/port/worker_listener.h"

namespace muster {

// The environment that programs of a host start with, for jobs of another machine (Bind::own_environment), and the network
// interface of each address.
struct HostEnvironment {
  std::map<std::string, std::string> environment;
  std::map<std::string, std::string> nics;
  std::string program;  // muster's path (MUSTER_PROGRAM); empty: it cannot be started by its path alone
};

// The environment that every rank of the job starts with on this node.
std::map<std::string, std::string> node_environment(const Bind& bind, const HostEnvironment& host);

// The settings with which every rank starts, without its stdin and the host's name. `socket`: of the ranks; empty: there is none.
RankStart rank_start(const Bind& bind, const HostEnvironment& host, const NodePreparation& node,
                     const std::string& socket);

std::set<uint32_t> indices_of(const std::vector<RankTask>& tasks);

// The tasks with the values that this node's own environment has instead of RankTask::gaps; kNoProxyVariable is
// completed by no_proxy, and left out if the ranks have no proxy.
std::vector<RankTask> with_own_values(const Bind& bind, const HostEnvironment& host, std::vector<RankTask> tasks);

class LocalTasks {
 public:
  // `stays`: whether the rank's process of the previous attempt continues.
  LocalTasks(WorkerListener& door, std::function<bool(uint32_t index)> stays) : door_(door), stays_(std::move(stays)) {}

  std::vector<RankTask> begin(const Bind& bind, const HostEnvironment& host, Attempt attempt,
                              std::vector<RankTask> tasks);

 private:
  void shorten_sockets(Attempt attempt, std::vector<RankTask>& tasks);
  void remove_sockets();

  WorkerListener& door_;
  const std::function<bool(uint32_t)> stays_;
  std::map<uint32_t, std::string> sockets_;  // shortened paths of torch's worker servers, by rank
};

}  // namespace muster
