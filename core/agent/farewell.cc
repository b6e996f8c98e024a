#include "core/agent/farewell.h"

namespace muster {
namespace {

constexpr Duration kGuestFarewell = std::chrono::milliseconds(20);
// For the coordinator to hear of a drain.
constexpr Duration kLeaveFarewell = std::chrono::seconds(1);

}  // namespace

bool Farewell::waits_for_guests(const GuestDesk& guests) {
  if (looks_left_ == 0 || !guests.served()) return false;
  looks_left_ = guests.empty() ? 0 : looks_left_ - 1;
  ask_at(loop_.now() + kGuestFarewell);
  return true;
}

// The coordinator hangs up when it has heard.
bool Farewell::waits_for_coordinator(ChannelToCoordinator* channel, const std::string& why) {
  if (channel == nullptr) return false;
  if (until_) return loop_.now() < *until_;
  until_ = loop_.now() + kLeaveFarewell;
  channel->send(Leave{why});
  ask_at(*until_);
  return true;
}

void Farewell::ask_at(TimePoint time) {
  loop_.at(time, [this, alive = alive_] {
    if (*alive) again_();
  });
}

}  // namespace muster
