// SPDX-License-Identifier: Apache-2.0
#include "test/agent_swarm/swarm.h"

#include <unistd.h>

#include <deque>
#include <iostream>
#include <map>
#include <optional>
#include <string>

#include "core/system/asio/asio_loop.h"
#include "core/system/tls/token_identity.h"
#include "core/wire/grpc_agent_dialer.h"
#include "test/agent_swarm/simulated_agent.h"

namespace muster::agent_swarm {
namespace {

// Agents send their report with every heartbeat. The agents are spread over this many moments of the heartbeat interval.
constexpr uint32_t kHeartbeatTurns = 50;
constexpr const char* kPurpose = "muster pod";  // the identity that the token stands for

Result<TcpTarget> target_of(const SwarmChoice& choice) {
  if (choice.token.empty()) return TcpTarget{{choice.address, choice.port}, std::nullopt};
  auto identity = identity_from_token(choice.token, kPurpose);
  if (!identity.ok()) return identity.status();
  return TcpTarget{{choice.address, choice.port}, std::move(*identity)};
}

std::optional<PodSelf> pod_of(const SwarmChoice& choice, uint32_t index) {
  if (choice.token.empty()) return std::nullopt;
  const std::string number = std::to_string(index);
  return PodSelf{.index = index,
                 .uid = "uid-" + number,
                 .name = "worker-0-" + number,
                 .address = "10.0.0.1",
                 .machine = "node-" + number};
}

class Swarm {
 public:
  Swarm(AsioLoop& loop, const SwarmChoice& choice, const TcpTarget& target)
      : loop_(loop),
        connections_(loop, target, choice.connections) {
    for (uint32_t i = choice.first; i < choice.first + choice.count; ++i)
      agents_.emplace_back(loop, connections_.dialer(), i + 1, told_, pod_of(choice, i));
  }

  void dial() {
    tell("dialling");
    for (SimulatedAgent& agent : agents_) agent.dial();
    send_heartbeat(0);
  }

  void fail() {
    tell("failed");
    agents_.front().fail();
  }

  void tell_end() const {
    uint64_t messages = 0;
    for (const SimulatedAgent& agent : agents_) messages += agent.messages();
    std::cout << "messages " << messages << std::endl;
  }

 private:
  void tell(const std::string& what) const { std::cout << what << " " << to_unix_nanos(loop_.now()) << std::endl; }

  void past(Attempt attempt) {
    if (++past_[attempt] == agents_.size()) tell("past " + std::to_string(attempt));
  }

  void send_heartbeat(uint32_t turn) {
    for (size_t i = turn; i < agents_.size(); i += kHeartbeatTurns) agents_[i].send_heartbeat();
    loop_.at(loop_.now() + kHeartbeat / kHeartbeatTurns,
             [this, turn] { send_heartbeat((turn + 1) % kHeartbeatTurns); });
  }

  AsioLoop& loop_;
  SharedConnections connections_;
  const SimulatedAgent::Told told_{[this](Attempt attempt) { past(attempt); },
                                   [](const std::string& why) { std::cout << "lost " << why << std::endl; }};
  std::map<Attempt, size_t> past_;
  std::deque<SimulatedAgent> agents_;
};

}  // namespace

Status swarm(const SwarmChoice& choice) {
  const auto target = target_of(choice);
  if (!target.ok()) return target.status();
  AsioLoop loop;
  Swarm swarm(loop, choice, *target);
  swarm.dial();
  const auto watch = loop.watch_readable(STDIN_FILENO, [&] {
    char bytes[64];
    if (read(STDIN_FILENO, bytes, sizeof bytes) > 0) return swarm.fail();
    swarm.tell_end();
    loop.stop();
  });
  loop.run();
  return Status();
}

}  // namespace muster::agent_swarm
