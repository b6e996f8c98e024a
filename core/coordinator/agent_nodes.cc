// SPDX-License-Identifier: Apache-2.0
#include "core/coordinator/agent_nodes.h"

namespace muster {

AgentNode* AgentNodes::find(NodeIndex node) {
  const auto found = nodes_.find(node);
  return found == nodes_.end() ? nullptr : &found->second;
}

const AgentNode* AgentNodes::find(NodeIndex node) const {
  const auto found = nodes_.find(node);
  return found == nodes_.end() ? nullptr : &found->second;
}

AgentNode* AgentNodes::connected(NodeIndex node) {
  AgentNode* found = find(node);
  return found != nullptr && found->channel ? found : nullptr;
}

void AgentNodes::send(NodeIndex node, const CoordinatorMessage& message) {
  if (AgentNode* found = connected(node)) found->channel->send(message);
}

std::optional<NodeIndex> AgentNodes::known(Incarnation incarnation) const {
  const auto found = node_of_.find(incarnation);
  return found == node_of_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace muster
