// SPDX-License-Identifier: Apache-2.0
#include "core/agent/local_tasks.h"

namespace muster {
namespace {

constexpr size_t kMostOfSocket = 107;  // of a socket's path (unix(7))
constexpr const char* kTorchSocket = "TORCH_WORKER_SERVER_SOCKET";

// A framework's variables apply only if the host does not set them.
void keep_own_values(const HostEnvironment& host, std::vector<RankTask>& tasks) {
  for (RankTask& task : tasks) {
    for (const std::string& name : task.gaps) {
      if (host.environment.count(name) > 0) task.environment.erase(name);
    }
  }
}

}  // namespace

std::set<uint32_t> indices_of(const std::vector<RankTask>& tasks) {
  std::set<uint32_t> indices;
  for (const RankTask& task : tasks) indices.insert(task.index);
  return indices;
}

// A host's name may resolve to loopback on the host itself, and Gloo and torch's RPC would listen there. They are given the
// network interface that their peers reach.
std::map<std::string, std::string> node_environment(const Bind& bind, const HostEnvironment& host) {
  if (!bind.own_environment) return bind.environment;
  std::map<std::string, std::string> environment = host.environment;
  const auto nic = host.nics.find(bind.address);
  for (const char* name : {"GLOO_SOCKET_IFNAME", "TP_SOCKET_IFNAME"})
    if (nic != host.nics.end()) environment.emplace(name, nic->second);
  for (const auto& [name, value] : bind.environment) environment[name] = value;
  return environment;
}

std::vector<RankTask> LocalTasks::begin(const Bind& bind, const HostEnvironment& host, Attempt attempt,
                                        std::vector<RankTask> tasks) {
  if (bind.own_environment) keep_own_values(host, tasks);
  remove_sockets();
  shorten_sockets(attempt, tasks);
  return tasks;
}

// The folders of jobs have long paths. Such a socket is placed beside the agent's own.
void LocalTasks::shorten_sockets(Attempt attempt, std::vector<RankTask>& tasks) {
  const std::string own = door_.path().substr(0, door_.path().rfind('.'));
  for (RankTask& task : tasks) {
    const auto found = task.environment.find(kTorchSocket);
    if (found == task.environment.end() || found->second.size() <= kMostOfSocket || own.empty()) continue;
    found->second = own + "-" + std::to_string(attempt) + "-" + std::to_string(task.index) + ".torch";
    sockets_.emplace(task.index, found->second);
  }
}

// Removes the sockets of the previous attempt, except those of ranks whose process continues.
void LocalTasks::remove_sockets() {
  std::erase_if(sockets_, [this](const auto& one) {
    if (stays_(one.first)) return false;
    door_.remove_beside(one.second);
    return true;
  });
}

}  // namespace muster
