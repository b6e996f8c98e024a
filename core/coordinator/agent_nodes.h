// AgentNodes: the nodes of a job whose agent is connected, or was: the channel to each, and what it told last. Loop thread only.
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
  bool proxy = false;  // it brings its own command, environment and folder, and keeps a copy of the journal
  // Beats since its last report: while we sleep or are stopped nothing is heard and nobody is to blame.
  uint32_t silent = 0;
  bool strange = false;  // it sent what is not its own, which was said
};

class AgentNodes {
 public:
  // `relaxed`: beats from one level of an agent to the next, where neither a lease nor a coordinator proxy's patience stands on them.
  explicit AgentNodes(uint32_t relaxed) : relaxed_(relaxed) {}

  // Null: no agent of it ever was here, or it was given up.
  AgentNode* find(NodeIndex node);
  const AgentNode* find(NodeIndex node) const;
  // Null: nor if it is not connected now.
  AgentNode* connected(NodeIndex node);
  // Made if there is none.
  AgentNode& get(NodeIndex node) { return nodes_[node]; }
  void erase(NodeIndex node) { nodes_.erase(node); }
  std::map<NodeIndex, AgentNode>& all() { return nodes_; }
  const std::map<NodeIndex, AgentNode>& all() const { return nodes_; }

  // Dropped if the node is not connected.
  void send(NodeIndex node, const CoordinatorMessage& message);

  // Beats from one report or desired state to the next that says the same.
  uint32_t beats_between_levels(const AgentNode& node) const { return node.proxy ? 1 : relaxed_; }

  // The agent of that incarnation is up on the node; that is remembered for good.
  void know(Incarnation incarnation, NodeIndex node) { node_of_[incarnation] = node; }
  std::optional<NodeIndex> known(Incarnation incarnation) const;

 private:
  const uint32_t relaxed_;
  std::map<NodeIndex, AgentNode> nodes_;
  std::map<Incarnation, NodeIndex> node_of_;  // that ever were up
};

}  // namespace muster
