// A last message to an agent that nobody here has work for. Loop thread only.
#pragma once

#include <memory>

#include "core/port/agent_channel.h"
#include "core/port/loop.h"

namespace muster {

// Dismisses it; the channel lives until that has arrived, for what is under way when a channel closes is lost.
// `why`: for the people there; empty: nobody need be told.
inline void dismiss_agent(Loop& loop, std::unique_ptr<ChannelToAgent> channel, const std::string& why = "",
                          bool succeeded = false) {
  constexpr Duration kShutdownDelay = std::chrono::seconds(2);
  channel->send(Dismiss{why, false, succeeded});
  loop.at(loop.now() + kShutdownDelay, [gone = std::shared_ptr<ChannelToAgent>(std::move(channel))] {});
}

}  // namespace muster
