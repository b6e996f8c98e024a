// SPDX-License-Identifier: Apache-2.0
// AgentNodes: the nodes of a job whose agent is or was connected, with the channel and the newest report of each. Loop thread
// only.
#pragma once

#include <map>
#include <memory>
#include <optional>

#include "core/port/agent_channel.h"

namespace muster {

struct AgentNode {
  std::unique_ptr<ChannelToAgent> channel;  // null: not connected now
  Incarnation incarnation = 0;
  Report report;
  bool proxy =
      false;  // a coordinator proxy: it has its own command, environment and folder, and keeps a copy of the journal
  // Our heartbeats since its last report. Heartbeats, not time: while this process sleeps or is stopped, no node is silent.
  uint32_t silent = 0;
  bool strange = false;  // it sent output of a rank that it does not run; this was logged
};

class AgentNodes {
 public:
  // `relaxed`: heartbeats between two repeats of an unchanged report or desired state, for nodes without a coordinator proxy.
  explicit AgentNodes(uint32_t relaxed) : relaxed_(relaxed) {}

  // Null: no agent of the node was ever connected, or the node was given up.
  AgentNode* find(NodeIndex node);
  const AgentNode* find(NodeIndex node) const;
  // Null: the node's agent is not connected now.
  AgentNode* connected(NodeIndex node);
  // Adds the node if it is missing.
  AgentNode& get(NodeIndex node) { return nodes_[node]; }
  void erase(NodeIndex node) { nodes_.erase(node); }
  std::map<NodeIndex, AgentNode>& all() { return nodes_; }
  const std::map<NodeIndex, AgentNode>& all() const { return nodes_; }

  // Dropped if the node is not connected.
  void send(NodeIndex node, const CoordinatorMessage& message);

  // Heartbeats between two repeats of an unchanged report or desired state.
  uint32_t beats_between_levels(const AgentNode& node) const { return node.proxy ? 1 : relaxed_; }

  // The agent of that incarnation is up on the node. This is never forgotten.
  void know(Incarnation incarnation, NodeIndex node) { node_of_[incarnation] = node; }
  std::optional<NodeIndex> known(Incarnation incarnation) const;

 private:
  const uint32_t relaxed_;
  std::map<NodeIndex, AgentNode> nodes_;
  std::map<Incarnation, NodeIndex> node_of_;  // of all agents that were ever up
};

}  // namespace muster
