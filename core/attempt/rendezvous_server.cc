// SPDX-License-Identifier: Apache-2.0
#include "core/attempt/rendezvous_server.h"

namespace muster {
namespace {

// The coordinator was replaced while the attempt was being stopped. Its agents will be told.
Status attempt_is_over(Attempt attempt) {
  return Status(Code::failed_precondition, "attempt " + std::to_string(attempt) + " has ended");
}

}  // namespace

Status no_such_rank(uint32_t index) {
  return Status(Code::invalid_argument, "this node runs no rank with MUSTER_INDEX " + std::to_string(index));
}

void RendezvousServer::begin(const std::vector<RendezvousMember>& members, Attempt attempt, bool taken_over) {
  rendezvous::Begun begun{attempt, {}, "a new attempt began", taken_over};
  for (const RendezvousMember& member : members) {
    if (begun.worlds.size() <= member.world) begun.worlds.resize(member.world + 1);
    begun.worlds[member.world].push_back(member.name);
  }
  members_ = members;
  step(begun);
}

void RendezvousServer::end(Attempt attempt, const std::string& why) { step(rendezvous::Ended{attempt, why}); }

uint64_t RendezvousServer::connect(std::function<void(RendezvousReply)> tell) {
  channels_[next_channel_] = std::move(tell);
  return next_channel_++;
}

void RendezvousServer::disconnect(uint64_t channel) {
  if (channels_.erase(channel) > 0) step(rendezvous::ChannelLost{channel});
}

void RendezvousServer::ask(uint64_t channel, RendezvousRequest request) {
  if (members_.empty()) return tell({{{channel, request.id}}, {attempt_is_over(request.attempt), "", {}}});
  if (request.index >= members_.size()) return tell({{{channel, request.id}}, {no_such_rank(request.index), "", {}}});
  const RendezvousMember& member = members_[request.index];
  step(rendezvous::Asked{{channel, request.id}, request.attempt, member.world, member.rank, std::move(request.call)});
}

void RendezvousServer::step(const rendezvous::Event& event) {
  rendezvous::Step step = rendezvous::step(std::move(state_), loop_.now(), event);
  state_ = std::move(step.next);
  for (rendezvous::Action& action : step.actions) {
    if (auto* answer = std::get_if<rendezvous::Answer>(&action)) {
      tell(std::move(*answer));
    } else if (const auto* timer = std::get_if<rendezvous::ArmTimer>(&action)) {
      loop_.cancel(timer_);
      timer_ = loop_.at(timer->at, [this] { this->step(rendezvous::TimerFired{}); });
    }
  }
}

void RendezvousServer::tell(rendezvous::Answer answer) {
  for (const rendezvous::Asker& asker : answer.askers) {
    const auto channel = channels_.find(asker.channel);
    if (channel == channels_.end()) continue;
    const bool last = &asker == &answer.askers.back();
    channel->second(RendezvousReply{asker.id, last ? std::move(answer.answer) : answer.answer});
  }
}

}  // namespace muster
