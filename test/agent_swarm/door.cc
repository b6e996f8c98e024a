// SPDX-License-Identifier: Apache-2.0
#include "test/agent_swarm/door.h"

namespace muster::agent_swarm {

void Door::arrived(ArrivedAgent agent) {
  if (wanted_.empty()) return early_.push_back(std::move(agent));
  hand_over(std::move(agent));
}

void Door::hand_over(ArrivedAgent agent) {
  const auto done = std::move(wanted_.front());
  wanted_.pop_front();
  std::string token = agent.hello.host;
  done(PlacedAgent{std::move(agent), std::move(token)});
}

Result<Plan> Door::plan(const JobSpec&, const std::vector<Holder>&, const JobOrigin&) {
  return Status(Code::unimplemented, "the host plans by itself");
}

void Door::place(const NodeRef&, std::function<void(Result<PlacedAgent>)> done) {
  wanted_.push_back(std::move(done));
  if (early_.empty()) return;
  loop_.post([this] {
    if (early_.empty() || wanted_.empty()) return;
    ArrivedAgent agent = std::move(early_.front());
    early_.pop_front();
    hand_over(std::move(agent));
  });
}

std::string Door::address(const NodeRef& node) const {
  return "10." + std::to_string(node.node >> 16) + "." + std::to_string(node.node >> 8 & 255) + "." +
         std::to_string(node.node & 255);
}

}  // namespace muster::agent_swarm
