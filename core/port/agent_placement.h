// SPDX-License-Identifier: Apache-2.0
// AgentPlacement: starts agents on nodes and watches them. Coordinator and agent handle ranks, restarts, output and recovery.
//
// Loop thread only. Every implementation passes the conformance suite in backends/testing.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/ids.h"
#include "core/base/result.h"
#include "core/port/agent_channel.h"

namespace muster {

struct NodeRef {
  JobId job;
  NodeIndex node = 0;
  auto operator<=>(const NodeRef&) const = default;
};

// An agent on its node, still unbound.
struct PlacedAgent {
  ArrivedAgent agent;
  std::string token;      // adopt() finds the agent's process by it; it is written to the journal, so it is no secret
  Duration code_took{0};  // how long the delivery of the job's code took; zero: none was delivered
};

class AgentPlacement {
 public:
  virtual ~AgentPlacement() = default;

  // Starts an agent for `node`, or waits for one that connects by itself. `done` runs at most once, with the channel of the
  // unbound agent, or with the error.
  virtual void place(const NodeRef& node, std::function<void(Result<PlacedAgent>)> done) = 0;

  // A node of a job that was taken over: watches it as if it had been placed here. If the agent of `token` is gone, the on_lost
  // handler runs in a later turn.
  virtual void adopt(const NodeRef& node, const std::string& token) = 0;

  // The agent has been silent for too long: ends it and everything it runs at once, if this backend can reach the node. Then
  // the on_lost handler runs.
  virtual void end(const NodeRef& node) = 0;

  // Ends what is left of the node: a dismissed agent that has not left within its grace is killed, unless it reconnected to wait
  // for another job.
  virtual void release(const NodeRef& node) = 0;

  // The numeric address at which the node's peers reach it.
  virtual std::string address(const NodeRef& node) const = 0;

  // The name that ranks on the node may use for 127.0.0.1 (MachineInfo::loopback).
  virtual std::string loopback(const NodeRef& node) const = 0;

  // `handler` runs with the reason when no process of the node can be alive any more; not after release(). Set once.
  virtual void on_lost(std::function<void(const NodeRef&, const std::string& reason)> handler) = 0;
};

// For a backend that sees the processes of its agents, at least within two heartbeats.
class AgentProcesses {
 public:
  virtual ~AgentProcesses() = default;

  // The pid of the node's agent if a signal such as SIGSTOP has stopped it. nullopt: it is not stopped, or has ended.
  virtual std::optional<int64_t> stopped_agent(const NodeRef& node) const = 0;

  // Continues the node's agent and its guardian (SIGCONT), if they are stopped. On another machine this takes seconds.
  virtual void resume(const NodeRef& node) = 0;
};

// For a backend whose hosts may be unreachable for a while.
class HostReach {
 public:
  virtual ~HostReach() = default;

  // `handler` gets sentences for the job's user: that a host is unreachable, and what to do. Set once.
  virtual void on_remark(std::function<void(const JobId&, const std::string& sentence)> handler) = 0;

  // The hosts of the job that need input of a person first, such as a password.
  virtual std::vector<std::string> asking_hosts(const JobId& job) const = 0;
};

}  // namespace muster
