#include "core/coordinator/guest_relay.h"

namespace muster {

void refuse_guest(GuestChannel& viewer, const Status& why) {
  viewer.send({0, GuestEnd{std::nullopt, static_cast<int>(why.code()), why.message()}});
}

GuestRelay::~GuestRelay() {
  for (const auto& [id, guest] : guests_) refuse_guest(*guest.viewer, Status(Code::unavailable, "its job has ended"));
}

void GuestRelay::open(NodeIndex node, GuestStart start, std::unique_ptr<GuestChannel> viewer) {
  const uint64_t id = ++last_;
  viewer->listen(
      [this, id, node](const GuestFrame& frame) {
        send_(node, {id, frame.part});
      },
      [this, id](const Status&) { left(id); });
  guests_[id] = {node, std::move(viewer)};
  start.job.clear();
  send_(node, {id, std::move(start)});
}

void GuestRelay::left(uint64_t id) {
  const auto guest = guests_.extract(id);
  if (!guest.empty()) send_(guest.mapped().node, {id, GuestLeave{}});
}

void GuestRelay::heard(NodeIndex node, const GuestFrame& frame) {
  const auto found = guests_.find(frame.id);
  if (found == guests_.end() || found->second.node != node) return;
  found->second.viewer->send({0, frame.part});
  if (std::holds_alternative<GuestEnd>(frame.part)) guests_.erase(found);
}

void GuestRelay::lost(NodeIndex node, const std::string& why) {
  for (auto at = guests_.begin(); at != guests_.end();) {
    if (at->second.node != node) {
      ++at;
      continue;
    }
    refuse_guest(*at->second.viewer, Status(Code::unavailable, why));
    at = guests_.erase(at);
  }
}

}  // namespace muster
