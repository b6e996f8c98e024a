// SimNetwork: how agents reach the controller: links with delays that a test cuts, hosts that it keeps apart, ways that
// are blocked in one direction.
//
// What arrives is handed over with its hello, as a server does. One controller at a time may be there to answer. A
// blocked way keeps what is sent on it until it is free, as a stream does, unless an end loses patience first; whoever
// dials meanwhile finds nobody.
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

// In parts of a thousand, of the messages that are repeated.
struct LevelFates {
  uint32_t lost = 0;
  uint32_t doubled = 0;
  uint32_t overtaken = 0;
};

class SimNetwork {
 public:
  using Arrival = std::function<void(ArrivedAgent)>;

  SimNetwork(SimLoop& loop, uint64_t seed) : loop_(loop), random_(seed) {}

  // A controller listens; dials are answered from now on, by its loop.
  void open(std::shared_ptr<HostLoop> controller, Arrival arrival);
  // Its process died: what it had sent arrives, then the links are gone.
  void close();
  // Its host lost its power: nobody is told.
  void vanish();
  bool is_open() const { return arrival_ != nullptr; }

  // The link of an agent, cut: both sides learn of it in their own time. What was under way is lost.
  void cut(int64_t agent);
  // Apart: cut, and dials fail.
  void keep_apart(int64_t agent, bool apart);
  void set_longest_delay(Duration longest) { longest_ = longest; }
  void set_fates(const LevelFates& fates) { fates_ = fates; }
  // An end that hears nothing for about this long gives its link up; 0: never.
  void set_patience(Duration patience) { patience_ = patience; }

  // May be said several times; it is free when each was taken back.
  void block(HostIndex host, Way way);
  void unblock(HostIndex host, Way way);
  void unblock_all();
  bool reachable(HostIndex host) const;

  std::unique_ptr<CoordinatorDialer> dialer(int64_t agent, HostIndex host, std::shared_ptr<HostLoop> loop);
  // The agent's host lost its power.
  void vanish(int64_t agent);

 private:
  class Dialer;
  class Weather final : public LinkWeather {
   public:
    Weather(SimNetwork& network, HostIndex host) : network_(network), host_(host) {}
    Duration delay() override { return network_.delay(); }
    bool blocked(bool to_coordinator) const override { return network_.blocked(host_, to_coordinator); }
    Fate fate_of_level() override { return network_.fate(); }
    // Longer than a beat, so that the next one overtakes it; at times as long as a restart takes.
    Duration lag() override { return std::chrono::milliseconds(1300 + network_.random_.below(10'000)); }

   private:
    SimNetwork& network_;
    const HostIndex host_;
  };
  struct Route {
    HostIndex host = 0;
    std::shared_ptr<HostLoop> loop;
    bool apart = false;
    std::unique_ptr<LinkWeather> weather;
    std::shared_ptr<SimLink> link;
  };
  using DialDone = std::function<void(Result<std::unique_ptr<ChannelToCoordinator>>)>;

  void dial(int64_t agent, const DialDone& done);
  void arrived(int64_t agent, const Hello& hello);
  bool blocked(HostIndex host, bool to_coordinator) const;
  void lose_patience(const std::shared_ptr<SimLink>& link, HostIndex host, bool coordinator);
  void flow(HostIndex host);
  Duration delay();
  LinkWeather::Fate fate();

  SimLoop& loop_;
  Random random_;
  Duration longest_ = std::chrono::milliseconds(2);
  Duration patience_{0};
  LevelFates fates_;
  std::shared_ptr<HostLoop> controller_;
  Arrival arrival_;
  std::map<HostIndex, std::array<uint32_t, 2>> blocks_;
  std::map<int64_t, Route> routes_;                              // by agent
  std::map<int64_t, std::unique_ptr<ChannelToAgent>> greeting_;  // not yet said hello
};

}  // namespace muster::sim
