// A farewell to an agent that nobody here has work for. Loop thread only.
#pragma once

#include <memory>

#include "core/port/agent_channel.h"
#include "core/port/loop.h"

namespace muster {

// Dismisses it; the channel lives until that has arrived, for what is under way when a channel closes is lost.
inline void send_away(Loop& loop, std::unique_ptr<ChannelToAgent> channel) {
  constexpr Duration kFarewell = std::chrono::seconds(2);
  channel->send(Dismiss{});
  loop.at(loop.now() + kFarewell, [gone = std::shared_ptr<ChannelToAgent>(std::move(channel))] {});
}

}  // namespace muster
