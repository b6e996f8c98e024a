// AgentPlacement: puts agents on nodes and watches them. Ranks, restarts, output and recovery belong to coordinator and agent.
//
// Loop thread only. Every implementation passes backends/testing's conformance suite.
#pragma once

#include <functional>
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
  std::string token;      // by which adopt() finds the agent's process again; journaled, so no secret
  Duration code_took{0};  // since the job's code was first on its way there; zero: it brings none
};

class AgentPlacement {
 public:
  virtual ~AgentPlacement() = default;

  // Starts an agent for `node`, or waits for one that comes by itself. `done` gets its channel, still unbound, or why there is
  // none. At most once each.
  virtual void place(const NodeRef& node, std::function<void(Result<PlacedAgent>)> done) = 0;

  // A node of a job taken over: watch it as if placed here. When the agent of `token` is gone, on_lost tells, in a
  // later turn.
  virtual void adopt(const NodeRef& node, const std::string& token) = 0;

  // The agent has not been heard of for so long that it hangs: ends it and everything it runs, at once, if this backend can
  // reach the node; on_lost tells.
  virtual void end(const NodeRef& node) = 0;

  // Ends what is left of the node: an agent that was dismissed and has not left within its grace is killed, unless it
  // came back to wait.
  virtual void release(const NodeRef& node) = 0;

  // The numeric address at which the node's peers reach it.
  virtual std::string address(const NodeRef& node) const = 0;

  // What ranks on the node may call 127.0.0.1 (MachineInfo::loopback).
  virtual std::string loopback(const NodeRef& node) const = 0;

  // Called when nothing of the node can be alive any more, with the reason; not after release. Set once.
  virtual void on_lost(std::function<void(const NodeRef&, const std::string& reason)> handler) = 0;
};

// Of a backend whose hosts may be out of reach for a while.
class HostReach {
 public:
  virtual ~HostReach() = default;

  // Called with what people of the job should know: that a host is not reached, and what to do. Set once.
  virtual void on_remark(std::function<void(const JobId&, const std::string& sentence)> handler) = 0;

  // The hosts of the job's nodes that are not reached before a person answers what they ask.
  virtual std::vector<std::string> asking_hosts(const JobId& job) const = 0;
};

}  // namespace muster
