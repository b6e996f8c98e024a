#include "core/runtime/rendezvous_desk.h"

namespace muster {
namespace {

uint32_t world_of(const Submission& submission, const PlannedRank& rank) {
  return submission.spec.world == World::shared ? 0 : rank.group;
}

}  // namespace

void RendezvousDesk::begin(const Submission& submission, Attempt attempt, bool taken_over) {
  rendezvous::Begun begun{attempt, {}, "a new attempt began", taken_over};
  for (const PlannedRank& rank : submission.plan.ranks) {
    const uint32_t world = world_of(submission, rank);
    if (begun.worlds.size() <= world) begun.worlds.resize(world + 1);
    begun.worlds[world].push_back(rank_name(submission.spec, rank) + " on " + submission.plan.nodes[rank.node].host);
  }
  step(begun);
}

void RendezvousDesk::end(Attempt attempt, const std::string& why) { step(rendezvous::Ended{attempt, why}); }

uint64_t RendezvousDesk::connect(ChannelToAgent& channel) {
  channels_[next_channel_] = &channel;
  return next_channel_++;
}

void RendezvousDesk::disconnect(uint64_t channel) {
  if (channels_.erase(channel) > 0) step(rendezvous::ChannelLost{channel});
}

void RendezvousDesk::ask(uint64_t channel, const Submission& submission, NodeIndex node,
                         const RendezvousRequest& request) {
  const std::vector<PlannedRank>& ranks = submission.plan.ranks;
  if (request.index >= ranks.size() || ranks[request.index].node != node) {
    const Status stranger(Code::invalid_argument,
                          "this node runs no rank with MUSTER_INDEX " + std::to_string(request.index));
    return tell({{{channel, request.id}}, {stranger, "", {}}});
  }
  const PlannedRank& rank = ranks[request.index];
  step(rendezvous::Asked{
      {channel, request.id}, request.attempt, world_of(submission, rank), rank.world_rank, request.call});
}

void RendezvousDesk::step(const rendezvous::Event& event) {
  rendezvous::Step step = rendezvous::step(std::move(state_), loop_.now(), event);
  state_ = std::move(step.next);
  for (const rendezvous::Action& action : step.actions) {
    if (const auto* answer = std::get_if<rendezvous::Answer>(&action)) {
      tell(*answer);
    } else if (const auto* timer = std::get_if<rendezvous::ArmTimer>(&action)) {
      loop_.cancel(timer_);
      timer_ = loop_.at(timer->at, [this] { this->step(rendezvous::TimerFired{}); });
    }
  }
}

void RendezvousDesk::tell(const rendezvous::Answer& answer) {
  for (const rendezvous::Asker& asker : answer.askers) {
    const auto channel = channels_.find(asker.channel);
    if (channel != channels_.end()) channel->second->send(RendezvousReply{asker.id, answer.answer});
  }
}

}  // namespace muster
