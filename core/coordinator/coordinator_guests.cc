// Coordinator, its guests: programs of `exec` beside its ranks. And what ranks use and where they stand, while somebody asks.
#include "core/coordinator/coordinator.h"

namespace muster {

// Why no guest can run beside this rank, as far as is known here; its agent knows more.
Status Coordinator::guest_refusal(const GuestStart& start) const {
  const std::string& name = fold_.submission().name;
  const std::vector<PlannedRank>& ranks = fold_.submission().plan.ranks;
  if (fold_.state().phase == job::Phase::queued)
    return Status(Code::failed_precondition, name + " is queued: no rank of it runs yet.  muster why " + name);
  if (start.index >= ranks.size()) return Status(Code::failed_precondition, name + " has no such rank");
  const auto node = nodes_.find(ranks[start.index].node);
  if (node == nodes_.end() || !node->second.channel)
    return Status(Code::unavailable, "the agent of that rank is not connected now.  muster describe " + name);
  // Nothing that came from elsewhere may choose what runs on a host whose part was typed there.
  if (node->second.deputy)
    return Status(Code::failed_precondition,
                  "that rank's host was typed by hand, and no command travels there: use a shell on that host");
  return Status();
}

void Coordinator::exec(const GuestStart& start, std::unique_ptr<GuestChannel> viewer) {
  if (const Status refused = guest_refusal(start); !refused.ok()) return refuse_guest(*viewer, refused);
  guests_.open(fold_.submission().plan.ranks[start.index].node, start, std::move(viewer));
}

void Coordinator::send_guest(NodeIndex node, const GuestFrame& frame) {
  const auto found = nodes_.find(node);
  if (found != nodes_.end() && found->second.channel) found->second.channel->send(frame);
}

void Coordinator::measure_until(TimePoint until) {
  const bool anew = ports_.loop.now() >= measure_until_;
  measure_until_ = until;
  if (anew && !done()) wish_again(std::nullopt);
}

// Agents examine a rank anew once they were told that nobody asks. So the time ends although somebody goes on asking, and the
// next begins when they have been told.
void Coordinator::examine_until(TimePoint until) {
  if (done() || ports_.loop.now() < examine_until_ + 2 * kBeat) return;
  examine_until_ = until;
  wish_again(std::nullopt);
}

}  // namespace muster
