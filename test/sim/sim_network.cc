#include "test/sim/sim_network.h"

#include <utility>

namespace muster::sim {

class SimNetwork::Dialer final : public CoordinatorDialer {
 public:
  Dialer(SimNetwork& network, int64_t agent) : network_(network), agent_(agent) {}
  void dial(DialDone done) override {
    network_.loop_.at(network_.loop_.now() + network_.delay(),
                      [&network = network_, agent = agent_, done = std::move(done)] { network.dial(agent, done); });
  }

 private:
  SimNetwork& network_;
  const int64_t agent_;
};

std::unique_ptr<CoordinatorDialer> SimNetwork::dialer(int64_t agent) { return std::make_unique<Dialer>(*this, agent); }

Duration SimNetwork::delay() { return Duration(random_.below(static_cast<uint64_t>(longest_.count()) + 1)); }

void SimNetwork::dial(int64_t agent, const DialDone& done) {
  if (!arrival_ || apart_[agent]) return done(Status(Code::unavailable, "nobody answers"));
  const auto link = std::make_shared<SimLink>(loop_, [this] { return delay(); });
  links_[agent] = link;
  std::unique_ptr<ChannelToAgent> server = link->coordinator_end();
  server->listen(
      [this, agent](const AgentMessage& message) {
        if (const auto* hello = std::get_if<Hello>(&message)) arrived(agent, *hello);
      },
      [this, agent](const Status&) { greeting_.erase(agent); });
  greeting_[agent] = std::move(server);
  done(link->agent_end());
}

void SimNetwork::arrived(int64_t agent, const Hello& hello) {
  auto channel = greeting_.extract(agent);
  if (!channel.empty() && arrival_) arrival_({std::move(channel.mapped()), hello});
}

void SimNetwork::close() {
  arrival_ = nullptr;
  for (const auto& [agent, link] : links_) link->end();
  links_.clear();
  greeting_.clear();
}

void SimNetwork::cut(int64_t agent) {
  if (const auto found = links_.find(agent); found != links_.end()) found->second->cut();
}

void SimNetwork::keep_apart(int64_t agent, bool apart) {
  apart_[agent] = apart;
  if (apart) cut(agent);
}

}  // namespace muster::sim
