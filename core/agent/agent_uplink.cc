// SPDX-License-Identifier: Apache-2.0
#include "core/agent/agent_uplink.h"

#include <algorithm>

#include "core/base/text.h"

namespace muster {
namespace {

constexpr Duration kFirstRedial = std::chrono::milliseconds(20);
constexpr Duration kLongestRedial = std::chrono::seconds(1);

}  // namespace

AgentUplink::AgentUplink(AgentUplinkPorts ports, Handlers handlers)
    : ports_(ports),
      handlers_(std::move(handlers)),
      alone_since_(ports_.loop.now()) {}

AgentUplink::~AgentUplink() {
  *alive_ = false;
  ports_.loop.cancel(redial_timer_);
}

void AgentUplink::dial() {
  ports_.dialer.dial([this, alive = alive_](Result<std::unique_ptr<ChannelToCoordinator>> channel) {
    if (*alive) dialled(std::move(channel));
  });
}

void AgentUplink::dial_later() {
  redial_ = redial_ == Duration(0) ? kFirstRedial : std::min(redial_ * 2, kLongestRedial);
  redial_timer_ = ports_.loop.at(ports_.loop.now() + redial_, [this] { dial(); });
}

void AgentUplink::dialled(Result<std::unique_ptr<ChannelToCoordinator>> channel) {
  if (!channel.ok()) return lost(channel.status());
  channel_ = std::move(*channel);
  opened_at_ = heard_at_ = ports_.loop.now();
  channel_->listen(
      [this](const CoordinatorMessage& message) {
        heard_at_ = ports_.loop.now();
        redial_ = Duration(0);
        handlers_.heard(message);
      },
      [this](const Status& status) { lost(status); });
  handlers_.opened();
}

void AgentUplink::lost(const Status& status) {
  if (channel_) {
    ports_.log.info("lost the link to the coordinator: " + status.message());
    if (ports_.loop.now() - opened_at_ > kLongestRedial) redial_ = Duration(0);
    needed();
    // Destroyed in a later turn of the loop: this may be a call from the channel's handler.
    ports_.loop.post([gone = std::shared_ptr<ChannelToCoordinator>(std::move(channel_))] {});
    handlers_.closed();
  }
  handlers_.unreachable();
}

void AgentUplink::give_up_silent(Duration patience) {
  if (!channel_ || ports_.loop.now() - heard_at_ < patience) return;
  lost(Status(Code::unavailable, "no message from the coordinator for " + humane_duration(patience)));
}

}  // namespace muster
