// SimNetwork: how agents reach the controller: links with delays that a test cuts, hosts that it keeps apart.
//
// What arrives is handed over with its hello, as a server does. One controller at a time may be there to answer.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "core/base/random.h"
#include "test/sim/sim_channel.h"

namespace muster::sim {

class SimNetwork {
 public:
  using Arrival = std::function<void(ArrivedAgent)>;

  SimNetwork(Loop& loop, uint64_t seed) : loop_(loop), random_(seed) {}

  // A controller listens; dials are answered from now on.
  void open(Arrival arrival) { arrival_ = std::move(arrival); }
  // Its process died: what it had sent arrives, then the links are gone.
  void close();
  bool is_open() const { return arrival_ != nullptr; }

  // The link of an agent, cut: both sides learn of it in their own time. What was under way is lost.
  void cut(int64_t agent);
  // Apart: cut, and dials fail.
  void keep_apart(int64_t agent, bool apart);
  void set_longest_delay(Duration longest) { longest_ = longest; }

  std::unique_ptr<CoordinatorDialer> dialer(int64_t agent);

 private:
  class Dialer;
  using DialDone = std::function<void(Result<std::unique_ptr<ChannelToCoordinator>>)>;

  void dial(int64_t agent, const DialDone& done);
  void arrived(int64_t agent, const Hello& hello);
  Duration delay();

  Loop& loop_;
  Random random_;
  Duration longest_ = std::chrono::milliseconds(2);
  Arrival arrival_;
  std::map<int64_t, bool> apart_;
  std::map<int64_t, std::shared_ptr<SimLink>> links_;
  std::map<int64_t, std::unique_ptr<ChannelToAgent>> greeting_;  // not yet said hello
};

}  // namespace muster::sim
