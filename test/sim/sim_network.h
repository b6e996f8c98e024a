// SPDX-License-Identifier: Apache-2.0
// SimNetwork: the network between agents and the controller. Links have delays; tests cut them, separate hosts, or block one
// direction.
//
// A new channel is passed on with its hello, as a server does. At most one controller listens at a time. A blocked direction delays
// messages until it is free, as a stream does, unless an end gives up first. Dials fail meanwhile.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "core/base/random.h"
#include "test/sim/sim_channel.h"

namespace muster::sim {

enum class Way { to_agent, to_coordinator };

// In permille of the repeated messages.
struct LevelFates {
  uint32_t lost = 0;
  uint32_t doubled = 0;
  uint32_t overtaken = 0;
};

class SimNetwork {
 public:
  using Arrival = std::function<void(ArrivedAgent)>;

  SimNetwork(SimLoop& loop, uint64_t seed) : loop_(loop), random_(seed) {}

  // A controller listens: its loop answers dials from now on.
  void open(std::shared_ptr<HostLoop> controller, Arrival arrival);
  // Its process ended: sent messages still arrive, then the links are closed.
  void close();
  // Its host lost its power: the agents are not told.
  void vanish();
  bool is_open() const { return arrival_ != nullptr; }

  // Cuts the link of an agent: both ends are told, each after its own delay. Messages in flight are lost.
  void cut(int64_t agent);
  // apart: the link is cut, and dials fail.
  void keep_apart(int64_t agent, bool apart);
  void set_longest_delay(Duration longest) { longest_ = longest; }
  void set_fates(const LevelFates& fates) { fates_ = fates; }
  // An end that receives nothing for about this long gives its link up; 0: never.
  void set_patience(Duration patience) { patience_ = patience; }

  // Blocks count: a direction is free after as many calls of unblock().
  void block(HostIndex host, Way way);
  void unblock(HostIndex host, Way way);
  void unblock_all();
  bool reachable(HostIndex host) const;

  std::unique_ptr<CoordinatorDialer> dialer(int64_t agent, HostIndex host, std::shared_ptr<HostLoop> loop);
  // The agent's host lost its power.
  void vanish(int64_t agent);

 private:
  class Dialer;
  class Conditions final : public LinkConditions {
   public:
    Conditions(SimNetwork& network, HostIndex host) : network_(network), host_(host) {}
    Duration delay() override { return network_.delay(); }
    bool blocked(bool to_coordinator) const override { return network_.blocked(host_, to_coordinator); }
    Fate fate_of_level() override { return network_.fate(); }
    // Longer than a heartbeat, so that the next message overtakes it; sometimes as long as a restart.
    Duration lag() override { return std::chrono::milliseconds(1300 + network_.random_.below(10'000)); }

   private:
    SimNetwork& network_;
    const HostIndex host_;
  };
  struct Route {
    HostIndex host = 0;
    std::shared_ptr<HostLoop> loop;
    bool apart = false;
    std::unique_ptr<LinkConditions> conditions;
    std::shared_ptr<SimLink> link;
  };
  using DialDone = std::function<void(Result<std::unique_ptr<ChannelToCoordinator>>)>;

  void dial(int64_t agent, const DialDone& done);
  void arrived(int64_t agent, const Hello& hello);
  bool blocked(HostIndex host, bool to_coordinator) const;
  void give_up_later(const std::shared_ptr<SimLink>& link, HostIndex host, bool coordinator);
  void flow(HostIndex host);
  Duration delay();
  LinkConditions::Fate fate();

  SimLoop& loop_;
  Random random_;
  Duration longest_ = std::chrono::milliseconds(2);
  Duration patience_{0};
  LevelFates fates_;
  std::shared_ptr<HostLoop> controller_;
  Arrival arrival_;
  std::map<HostIndex, std::array<uint32_t, 2>> blocks_;
  std::map<int64_t, Route> routes_;                              // by agent
  std::map<int64_t, std::unique_ptr<ChannelToAgent>> greeting_;  // channels whose hello has not arrived
};

}  // namespace muster::sim
