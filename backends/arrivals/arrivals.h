// Arrivals: agents that came by themselves and wait until a node takes them. Backends that start no agents share it. Which agent
// fits which node is theirs to say. Loop thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "core/port/agent_channel.h"
#include "core/port/loop.h"

namespace muster {

// A name that came from afar, as terminals may show it: escaped, of at most 255 bytes.
std::string shown_name(const std::string& text);

class Arrivals {
 public:
  using Ticket = uint64_t;  // 0 names no agent; none is used twice

  explicit Arrivals(Loop& loop) : loop_(loop) {}
  ~Arrivals() { *alive_ = false; }
  Arrivals(const Arrivals&) = delete;
  Arrivals& operator=(const Arrivals&) = delete;

  // Keeps the agent until it is taken, sent away or forgotten. `left` runs if its channel closes before; what becomes of the agent
  // then is the caller's to say.
  Ticket add(ArrivedAgent agent, std::function<void(Ticket)> left = nullptr);
  // Null: it does not wait here (any more).
  const ArrivedAgent* find(Ticket ticket) const;
  // The agent, which does not wait any more; its channel is to be listened to anew. Nothing: it does not wait here.
  std::optional<ArrivedAgent> take(Ticket ticket);
  // Dismisses it with the sentence why, if it waits here.
  void dismiss_agent(Ticket ticket, const std::string& why, bool succeeded = false);
  // Closes its channel, in a later turn, if it waits here.
  void forget(Ticket ticket);
  // Tells all that wait that we are here: an agent that hears nothing dials again.
  void speak();

 private:
  Loop& loop_;
  std::map<Ticket, ArrivedAgent> agents_;
  Ticket last_ = 0;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace muster
