// SPDX-License-Identifier: Apache-2.0
#include "test/sim/sim_network.h"

#include <utility>

namespace muster::sim {

class SimNetwork::Dialer final : public CoordinatorDialer {
 public:
  Dialer(SimNetwork& network, int64_t agent) : network_(network), agent_(agent) {}
  void dial(DialDone done) override {
    const Route& route = network_.routes_.at(agent_);
    const Duration slow = network_.reachable(route.host) ? Duration(0) : network_.delay() * 100;
    route.loop->at_true(network_.loop_.now() + network_.delay() + slow,
                        [&network = network_, agent = agent_, done = std::move(done)] { network.dial(agent, done); });
  }

 private:
  SimNetwork& network_;
  const int64_t agent_;
};

std::unique_ptr<CoordinatorDialer> SimNetwork::dialer(int64_t agent, HostIndex host, std::shared_ptr<HostLoop> loop) {
  Route& route = routes_[agent];
  route.host = host;
  route.loop = std::move(loop);
  route.conditions = std::make_unique<Conditions>(*this, host);
  return std::make_unique<Dialer>(*this, agent);
}

Duration SimNetwork::delay() { return Duration(random_.below(static_cast<uint64_t>(longest_.count()) + 1)); }

LinkConditions::Fate SimNetwork::fate() {
  if (fates_.lost + fates_.doubled + fates_.overtaken == 0) return LinkConditions::Fate::arrives;
  const uint64_t drawn = random_.below(1000);
  if (drawn < fates_.lost) return LinkConditions::Fate::lost;
  if (drawn < fates_.lost + fates_.doubled) return LinkConditions::Fate::doubled;
  if (drawn < fates_.lost + fates_.doubled + fates_.overtaken) return LinkConditions::Fate::overtaken;
  return LinkConditions::Fate::arrives;
}

void SimNetwork::open(std::shared_ptr<HostLoop> controller, Arrival arrival) {
  controller_ = std::move(controller);
  arrival_ = std::move(arrival);
}

void SimNetwork::dial(int64_t agent, const DialDone& done) {
  Route& route = routes_.at(agent);
  if (!arrival_ || route.apart || !reachable(route.host)) return done(Status(Code::unavailable, "no answer"));
  const auto link = std::make_shared<SimLink>(loop_, *route.conditions, route.loop, controller_);
  route.link = link;
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
  for (auto& [agent, route] : routes_) {
    if (route.link) std::exchange(route.link, nullptr)->end();
  }
  greeting_.clear();
}

void SimNetwork::vanish() {
  for (auto& [agent, route] : routes_) vanish(agent);
  close();
}

// The other end finds out by itself after some time, because it gets no answer.
void SimNetwork::vanish(int64_t agent) {
  Route& route = routes_.at(agent);
  if (!route.link) return;
  const std::shared_ptr<SimLink> link = std::exchange(route.link, nullptr);
  link->vanish();
  for (const bool coordinator : {false, true}) {
    const Duration late = std::chrono::seconds(5) + Duration(random_.below(30'000'000'000));
    loop_.at(loop_.now() + late, [link, coordinator] { link->give_up(coordinator); });
  }
}

void SimNetwork::cut(int64_t agent) {
  if (const auto found = routes_.find(agent); found != routes_.end() && found->second.link) found->second.link->cut();
}

void SimNetwork::keep_apart(int64_t agent, bool apart) {
  routes_[agent].apart = apart;
  if (apart) cut(agent);
}

bool SimNetwork::blocked(HostIndex host, bool to_coordinator) const {
  const auto found = blocks_.find(host);
  return found != blocks_.end() && found->second[to_coordinator] > 0;
}

bool SimNetwork::reachable(HostIndex host) const { return !blocked(host, false) && !blocked(host, true); }

void SimNetwork::block(HostIndex host, Way way) {
  ++blocks_[host][way == Way::to_coordinator];
  if (patience_ == Duration(0)) return;
  for (const auto& [agent, route] : routes_) {
    if (route.host != host || !route.link || !route.link->whole()) continue;
    give_up_later(route.link, host, false);
    give_up_later(route.link, host, true);
  }
}

// If one direction is blocked, acknowledgements are missing too, so either end may give up.
void SimNetwork::give_up_later(const std::shared_ptr<SimLink>& link, HostIndex host, bool coordinator) {
  const Duration patience = patience_ + Duration(random_.below(static_cast<uint64_t>(patience_.count())));
  loop_.at(loop_.now() + patience, [this, link, host, coordinator] {
    if (link->whole() && !reachable(host)) link->give_up(coordinator);
  });
}

void SimNetwork::unblock(HostIndex host, Way way) {
  uint32_t& times = blocks_[host][way == Way::to_coordinator];
  if (times > 0 && --times == 0) flow(host);
}

void SimNetwork::unblock_all() {
  const auto blocked = std::exchange(blocks_, {});
  for (const auto& [host, ways] : blocked) flow(host);
}

void SimNetwork::flow(HostIndex host) {
  for (const auto& [agent, route] : routes_) {
    if (route.host == host && route.link) route.link->flow();
  }
}

}  // namespace muster::sim
