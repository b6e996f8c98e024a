// SPDX-License-Identifier: Apache-2.0
#include "core/agent/peer_execs.h"

namespace muster {
namespace {

constexpr size_t kMostViewers = 4096;  // one for each node of the largest job, and some more

}  // namespace

PeerExecs::PeerExecs(WorkerListener& door) {
  door.serve_execs(
      [this](const ExecStart& start, std::unique_ptr<ExecChannel> viewer) { open(start, std::move(viewer)); });
}

void PeerExecs::connect(ChannelToCoordinator* channel) {
  channel_ = channel;
  for (const auto& [id, viewer] : std::exchange(viewers_, {}))
    refuse_exec(*viewer, Status(Code::unavailable, "the link of this node to the coordinator was lost"));
}

void PeerExecs::open(ExecStart start, std::unique_ptr<ExecChannel> viewer) {
  if (start.viewer_attempt != attempt_) return refuse_exec(*viewer, ended_attempt(start.viewer_attempt));
  if (channel_ == nullptr)
    return refuse_exec(*viewer, Status(Code::unavailable, "the coordinator is not connected; try again"));
  if (viewers_.size() >= kMostViewers)
    return refuse_exec(*viewer, Status(Code::resource_exhausted, "too many programs were started from this node"));
  const uint64_t id = ++last_;
  viewer->listen([this, id](const ExecFrame& frame) { send(id, frame.part); },
                 [this, id](const Status&) {
                   if (viewers_.erase(id) > 0) send(id, ExecLeave{});
                 });
  viewers_[id] = std::move(viewer);
  start.job.clear();
  send(id, std::move(start));
}

void PeerExecs::heard(const PeerExec& message) {
  const auto found = viewers_.find(message.frame.id);
  if (found == viewers_.end()) return;
  found->second->send({0, message.frame.part});
  if (std::holds_alternative<ExecEnd>(message.frame.part)) viewers_.erase(found);
}

void PeerExecs::send(uint64_t id, decltype(ExecFrame::part) part) {
  if (channel_ != nullptr) channel_->send(PeerExec{{id, std::move(part)}});
}

}  // namespace muster
