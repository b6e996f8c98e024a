// JobGangs: what each gang of a job (core/machine/job/gangs.h) has of its own: its ranks' rendezvous, how far its attempt is, and how
// the last attempt ended. Loop thread only.
#pragma once

#include <deque>
#include <map>
#include <optional>

#include "core/attempt/rendezvous_server.h"
#include "core/coordinator/coordinator_core.h"
#include "core/coordinator/progress_meter.h"

namespace muster {

class JobGangs {
 public:
  explicit JobGangs(const JobContext& context);

  uint32_t count() const { return static_cast<uint32_t>(gangs_.size()); }

  // An attempt of the gang begins. `taken_over`: it is under way already.
  void begin(uint32_t gang, Attempt attempt, bool taken_over);
  void end(const job::EndAttempt& ended);
  // The last attempt that ended here, of the node's gang.
  const job::EndAttempt& last_end(NodeIndex node) const { return gangs_[context_.ledger.gang_of(node)].end; }

  // The node's agent can ask, and hears the answers, until it is disconnected. Its channel outlives that.
  void connect(NodeIndex node, ChannelToAgent& channel);
  void disconnect(NodeIndex node);
  void ask(NodeIndex node, const RendezvousRequest& request);
  // What its ranks have waited for longest.
  std::optional<rendezvous::OpenBarrier> longest_open(uint32_t gang) const;

  void heard(NodeIndex node, const Report& report);
  // Of the first gang that tells any.
  std::optional<JobProgress> progress() const;

 private:
  struct Gang {
    explicit Gang(Loop& loop) : rendezvous(loop) {}
    RendezvousServer rendezvous;
    ProgressMeter meter;
    job::EndAttempt end;
  };

  Gang& gang_of(NodeIndex node) { return gangs_[context_.ledger.gang_of(node)]; }

  const JobContext context_;
  std::deque<Gang> gangs_;
  std::map<NodeIndex, uint64_t> desks_;  // the newest channel of each node, at its gang's desk
};

}  // namespace muster
