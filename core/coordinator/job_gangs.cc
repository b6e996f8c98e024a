// SPDX-License-Identifier: Apache-2.0
#include "core/coordinator/job_gangs.h"

#include "core/attempt/assignment.h"

namespace muster {

JobGangs::JobGangs(const JobContext& context) : context_(context) {
  for (uint32_t gang = 0; gang < job::gang_count(context_.ledger.state()); ++gang)
    gangs_.emplace_back(context_.ports.loop);
}

void JobGangs::begin(uint32_t gang, Attempt attempt, bool taken_over) {
  gangs_[gang].rendezvous.begin(members_of(context_.ledger.submission()), attempt, taken_over);
}

void JobGangs::end(const job::EndAttempt& ended) {
  Gang& gang = gangs_[ended.gang];
  gang.rendezvous.end(ended.attempt, ended.why);
  gang.end = ended;
  const std::optional<JobProgress> progress = gang.meter.progress();
  if (progress && gang.meter.attempt() == ended.attempt) context_.ledger.note(ProgressMade{ended.attempt, *progress});
}

void JobGangs::connect(NodeIndex node, ChannelToAgent& channel) {
  channels_[node] = gang_of(node).rendezvous.connect([&channel](const RendezvousReply& reply) { channel.send(reply); });
}

void JobGangs::disconnect(NodeIndex node) {
  const auto channel = channels_.find(node);
  if (channel != channels_.end()) gang_of(node).rendezvous.disconnect(channel->second);
}

void JobGangs::ask(NodeIndex node, const RendezvousRequest& request) {
  const std::vector<PlannedRank>& ranks = context_.ledger.submission().plan.ranks;
  const bool its_own = request.index < ranks.size() && ranks[request.index].node == node;
  const bool about_nodes = request.call.kind == RendezvousCall::Kind::get && request.call.key == kJobNodesKey;
  if (its_own && about_nodes) return context_.nodes.send(node, RendezvousReply{request.id, {{}, nodes_text(), {}}});
  if (its_own) return gang_of(node).rendezvous.ask(channels_[node], request);
  context_.nodes.send(node, RendezvousReply{request.id, {no_such_rank(request.index), "", {}}});
}

std::string JobGangs::nodes_text() const {
  const AgentPlacement& placement = context_.ports.backend.placement;
  return nodes_to_json(nodes_of(context_.ledger.submission(), [&](NodeIndex node, JobNode& described) {
    described.address = placement.address(context_.ledger.ref_of(node));
    described.attempt = context_.ledger.attempt_on(node);
    described.loopback = placement.loopback(context_.ledger.ref_of(node));
  }));
}

std::optional<rendezvous::OpenBarrier> JobGangs::longest_open(uint32_t gang) const {
  return gangs_[gang].rendezvous.longest_open();
}

void JobGangs::heard(NodeIndex node, const Report& report) {
  gang_of(node).meter.heard(context_.ports.loop.now(), report.attempt, report.ranks);
}

std::optional<JobProgress> JobGangs::progress() const {
  for (uint32_t g = 0; g < gangs_.size(); ++g) {
    const bool newest = gangs_[g].meter.attempt() == context_.ledger.gang(g).attempt;
    if (std::optional<JobProgress> told = gangs_[g].meter.progress(); told && newest) return told;
  }
  return std::nullopt;
}

}  // namespace muster
