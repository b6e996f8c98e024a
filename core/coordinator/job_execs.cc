// SPDX-License-Identifier: Apache-2.0
#include "core/coordinator/job_execs.h"

namespace muster {

// Its frames go over the link of its node's agent.
class JobExecs::PeerViewer final : public ExecChannel {
 public:
  PeerViewer(JobExecs& execs, const Peer& peer) : execs_(execs), peer_(peer) { execs_.peers_[peer_] = this; }
  ~PeerViewer() override { execs_.peers_.erase(peer_); }
  void send(const ExecFrame& frame) override {
    execs_.context_.nodes.send(peer_.first, PeerExec{{peer_.second, frame.part}});
  }
  void listen(std::function<void(const ExecFrame&)> on_message, std::function<void(const Status&)> on_closed) override {
    on_message_ = std::move(on_message);
    on_closed_ = std::move(on_closed);
  }
  void heard(const ExecFrame& frame) const {
    if (on_message_) on_message_(frame);
  }
  // Its owner destroys it. `lost`: only the link is.
  void leave(bool lost) const {
    const auto on_closed = on_closed_;
    if (on_closed) on_closed({lost ? Code::unavailable : Code::cancelled, "the client has disconnected"});
  }

 private:
  JobExecs& execs_;
  const Peer peer_;
  std::function<void(const ExecFrame&)> on_message_;
  std::function<void(const Status&)> on_closed_;
};

JobExecs::JobExecs(const JobContext& context)
    : context_(context),
      relay_([this](NodeIndex node, const ExecFrame& frame) { context_.nodes.send(node, frame); }) {}

// Why no exec process can run beside this rank, as far as the coordinator knows. The agent checks the rest.
Status JobExecs::refusal(const ExecStart& start) const {
  const std::string& name = context_.ledger.submission().name;
  const std::vector<PlannedRank>& ranks = context_.ledger.submission().plan.ranks;
  if (context_.ledger.state().phase == job::Phase::queued)
    return Status(Code::failed_precondition,
                  name + " is queued, so no rank runs yet; muster why " + name + " says why");
  if (start.index >= ranks.size()) return Status(Code::failed_precondition, name + " has no such rank");
  const NodeIndex place = ranks[start.index].node;
  if (start.attempt != 0 && start.attempt != context_.ledger.attempt_on(place)) return ended_attempt(start.attempt);
  const AgentNode* node = context_.nodes.connected(place);
  if (node == nullptr)
    return Status(Code::unavailable, "the agent of that rank is not connected; muster describe " + name +
                                         " shows whether its host is reachable");
  // On a host that the user started by hand, no other host may choose what runs.
  if (node->proxy)
    return Status(Code::failed_precondition,
                  "muster exec does not reach a host that was started by hand: use a shell on the rank's host");
  return Status();
}

void JobExecs::open(const ExecStart& start, std::unique_ptr<ExecChannel> viewer) {
  if (const Status refused = refusal(start); !refused.ok()) return refuse_exec(*viewer, refused);
  relay_.open(context_.ledger.submission().plan.ranks[start.index].node, start, std::move(viewer));
}

void JobExecs::heard_peer(NodeIndex node, const ExecFrame& frame) {
  const auto known = peers_.find({node, frame.id});
  const auto* start = std::get_if<ExecStart>(&frame.part);
  // On a host that the user started by hand, ranks choose what runs there and nowhere else.
  const AgentNode* sender = context_.nodes.find(node);
  if (sender != nullptr && sender->proxy) return;
  if (known == peers_.end() && start != nullptr)
    return open(*start, std::make_unique<PeerViewer>(*this, Peer{node, frame.id}));
  if (known == peers_.end()) return;
  if (const auto* leave = std::get_if<ExecLeave>(&frame.part)) return known->second->leave(leave->lost);
  if (start == nullptr) known->second->heard(frame);
}

void JobExecs::lost(NodeIndex node, const std::string& why) {
  relay_.lost(node, why);
  for (auto at = peers_.lower_bound({node, 0}); at != peers_.end() && at->first.first == node;)
    (at++)->second->leave(true);
}

}  // namespace muster
