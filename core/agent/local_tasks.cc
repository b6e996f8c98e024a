// SPDX-License-Identifier: Apache-2.0
#include "core/agent/local_tasks.h"

#include <algorithm>

#include "core/job/python_command.h"
#include "core/job/variable_names.h"

namespace muster {
namespace {

constexpr size_t kMostOfSocket = 107;  // of a socket's path (unix(7))
constexpr const char* kTorchSocket = "TORCH_WORKER_SERVER_SOCKET";

using Environment = std::map<std::string, std::string>;

const std::string* value_in(const Environment& environment, const std::string& name) {
  const auto found = environment.find(name);
  return found == environment.end() ? nullptr : &found->second;
}

// A variable of the rank that the framework does not set; null: it has none.
const std::string* own_value(const Bind& bind, const HostEnvironment& host, const RankTask& task,
                             const std::string& name) {
  const std::string* own = value_in(task.environment, name);
  if (own == nullptr) own = value_in(bind.environment, name);
  return own == nullptr && bind.own_environment ? value_in(host.environment, name) : own;
}

// Whether gRPC may use a proxy. The variables of a container image are not known here, nor those that a shell or another program
// sets before it starts Python.
bool may_have_proxy(const Bind& bind, const HostEnvironment& host, const RankTask& task) {
  if ((bind.setup && bind.setup->container) || !python_command(task.argv)) return true;
  const auto names = {"grpc_proxy", "https_proxy", "http_proxy"};
  return std::any_of(names.begin(), names.end(), [&](const char* name) {
    const std::string* value = own_value(bind, host, task, name);
    return value != nullptr && !value->empty();
  });
}

// gRPC reads no_proxy only if no_grpc_proxy is not set. Without a proxy the list is left out, because JAX warns of every variable
// whose name ends with `_proxy`.
void settle_no_proxy(const Bind& bind, const HostEnvironment& host, RankTask& task) {
  const auto list = task.environment.find(kNoProxyVariable);
  const bool ours = std::find(task.gaps.begin(), task.gaps.end(), kNoProxyVariable) != task.gaps.end();
  if (!ours || list == task.environment.end()) return;
  if (!may_have_proxy(bind, host, task)) {
    task.environment.erase(list);
    return;
  }
  const std::string* own = own_value(bind, host, task, "no_proxy");
  if (own != nullptr && !own->empty()) list->second += "," + *own;
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
  std::map<std::string, std::string> environment;
  if (bind.own_environment) {
    environment = host.environment;
    const auto nic = host.nics.find(bind.address);
    for (const char* name : {"GLOO_SOCKET_IFNAME", "TP_SOCKET_IFNAME", "HOROVOD_GLOO_IFACE"})
      if (nic != host.nics.end()) environment.emplace(name, nic->second);
  }
  for (const auto& [name, value] : bind.environment) environment[name] = value;
  if (!host.program.empty()) environment["MUSTER_PROGRAM"] = host.program;
  return environment;
}

std::vector<RankTask> with_own_values(const Bind& bind, const HostEnvironment& host, std::vector<RankTask> tasks) {
  for (RankTask& task : tasks) {
    for (const std::string& name : task.gaps) {
      if (bind.own_environment && value_in(host.environment, name) != nullptr) task.environment.erase(name);
    }
    settle_no_proxy(bind, host, task);
  }
  return tasks;
}

RankStart rank_start(const Bind& bind, const HostEnvironment& host, const NodePreparation& node,
                     const std::string& socket) {
  RankStart start;
  start.environment = node.environment(node_environment(bind, host));
  if (!socket.empty()) start.environment["MUSTER_SOCKET"] = socket;
  start.workdir = bind.workdir;
  start.settings = bind.settings;
  start.venv = node.venv();
  start.window = bind.streams.window;
  start.container = node.container();
  return start;
}

std::vector<RankTask> LocalTasks::begin(const Bind& bind, const HostEnvironment& host, Attempt attempt,
                                        std::vector<RankTask> tasks) {
  tasks = with_own_values(bind, host, std::move(tasks));
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
