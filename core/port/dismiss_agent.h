// SPDX-License-Identifier: Apache-2.0
// Dismisses an agent for which there is no work. Loop thread only.
#pragma once

#include <memory>

#include "core/port/agent_channel.h"
#include "core/port/loop.h"

namespace muster {

// Sends Dismiss and keeps the channel open until the message has arrived, because a closing channel drops messages in flight.
// `why`: printed on the agent's host; empty: nothing to print.
inline void dismiss_agent(Loop& loop, std::unique_ptr<ChannelToAgent> channel, const std::string& why = "",
                          bool succeeded = false) {
  constexpr Duration kShutdownDelay = std::chrono::seconds(2);
  channel->send(Dismiss{why, false, succeeded});
  loop.at(loop.now() + kShutdownDelay, [gone = std::shared_ptr<ChannelToAgent>(std::move(channel))] {});
}

}  // namespace muster
