// SPDX-License-Identifier: Apache-2.0
// JobGangs: the state of each gang of a job (core/machine/job/gangs.h): the rendezvous of its ranks, the progress of its attempt,
// and how the last attempt ended. Loop thread only.
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

  // An attempt of the gang starts. `taken_over`: it was already running under an earlier controller.
  void begin(uint32_t gang, Attempt attempt, bool taken_over);
  void end(const job::EndAttempt& ended);
  // The last attempt of the node's gang that ended in this process.
  const job::EndAttempt& last_end(NodeIndex node) const { return gangs_[context_.ledger.gang_of(node)].end; }

  // Replies to the node's agent are sent on `channel`, which must live until disconnect().
  void connect(NodeIndex node, ChannelToAgent& channel);
  void disconnect(NodeIndex node);
  // A get of kJobNodesKey is answered without the rendezvous.
  void ask(NodeIndex node, const RendezvousRequest& request);
  // The barrier of the gang that has been open longest.
  std::optional<rendezvous::OpenBarrier> longest_open(uint32_t gang) const;

  void heard(NodeIndex node, const Report& report);
  // The progress of the first gang that reports any.
  std::optional<JobProgress> progress() const;

 private:
  struct Gang {
    explicit Gang(Loop& loop) : rendezvous(loop) {}
    RendezvousServer rendezvous;
    ProgressMeter meter;
    job::EndAttempt end;
  };

  Gang& gang_of(NodeIndex node) { return gangs_[context_.ledger.gang_of(node)]; }

  std::string nodes_text() const;

  const JobContext context_;
  std::deque<Gang> gangs_;
  std::map<NodeIndex, uint64_t> channels_;  // the newest channel of each node, as numbered by its gang's rendezvous
};

}  // namespace muster
