// LocalTasks: an attempt's tasks as they are on this node: values that the host itself sets, sockets whose paths are too long for the
// kernel. Loop thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/port/agent_messages.h"
#include "core/port/worker_listener.h"

namespace muster {

// What programs of a host begin with, for jobs of another machine (Bind::own_environment), and the network interface of each address.
struct HostEnvironment {
  std::map<std::string, std::string> environment;
  std::map<std::string, std::string> nics;
};

// What every rank of the job begins with on this node.
std::map<std::string, std::string> node_environment(const Bind& bind, const HostEnvironment& host);

class LocalTasks {
 public:
  // `stays`: whether a process of the rank goes on from the attempt before.
  LocalTasks(WorkerListener& door, std::function<bool(uint32_t index)> stays) : door_(door), stays_(std::move(stays)) {}

  std::vector<RankTask> begin(const Bind& bind, const HostEnvironment& host, Attempt attempt,
                              std::vector<RankTask> tasks);

 private:
  void shorten_sockets(Attempt attempt, std::vector<RankTask>& tasks);
  void remove_sockets();

  WorkerListener& door_;
  const std::function<bool(uint32_t)> stays_;
  std::map<uint32_t, std::string> sockets_;  // of torch's servers, by rank
};

}  // namespace muster
