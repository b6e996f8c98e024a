// SPDX-License-Identifier: Apache-2.0
// WorkerServer: answers the calls that ranks make to their agent (libmuster).
//
// - Rendezvous calls are answered here if all ranks of the gang are on this node. Otherwise, and for kJobNodesKey, the coordinator
//   answers them.
// - Progress is kept for the next report.
// - A call that waits for the end of the attempt is answered when the attempt ends.
//
// Loop thread only.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/attempt/rendezvous_server.h"
#include "core/port/agent_channel.h"
#include "core/port/worker_listener.h"

namespace muster {

class WorkerServer {
 public:
  // Called for each rank that asked to continue in the next attempt, once this attempt has ended and another follows.
  using Rejoin = std::function<void(uint32_t index, WorkerListener::Answer answer)>;
  WorkerServer(Loop& loop, Rejoin rejoin);

  // An attempt starts; the ranks `indices` run on this node. `members`: all ranks, if this node has their rendezvous;
  // otherwise empty.
  void begin(Attempt attempt, std::set<uint32_t> indices, const std::vector<RendezvousMember>& members);
  // May be called repeatedly, also with a shorter grace; the first reason counts. again: another attempt follows.
  void end(const EndNotice& notice, bool again);

  // Null: the link to the coordinator is lost. Calls that wait for an answer from it fail with unavailable.
  void connect(ChannelToCoordinator* channel);
  void answered(RendezvousReply reply);

  void ask(WorkerCall call, WorkerListener::Answer answer);
  // Passes on a node service's call to the rendezvous of the attempt, as that of the first rank of this node. It does not count as a
  // call of the rank.
  void ask_for_service(const RendezvousCall& call, std::function<void(const RendezvousAnswer&)> answer);

  // The number of calls that a rank has made in this attempt.
  uint64_t calls(uint32_t index) const;
  // When every rank of the attempt on this node had made a call; zero: not yet.
  TimePoint met() const { return met_; }
  // The barrier that has been open longest. Empty also if the rendezvous is not on this node.
  std::optional<rendezvous::OpenBarrier> longest_open() const;

  // The newest progress of a rank in this attempt; null: none.
  const Progress* progress(uint32_t index) const;

 private:
  // Not ok: the rank is not on this node.
  Status unknown_rank(const WorkerCall& call) const;
  // Not ok: the rank is not on this node, or the call is for another attempt.
  Status refusal(const WorkerCall& call) const;
  void take(const WorkerCall& call, RendezvousCall& asked, WorkerListener::Answer answer);
  void take(const WorkerCall& call, const Progress& progress, WorkerListener::Answer answer);
  void take(const WorkerCall& call, const EndQuestion& question, WorkerListener::Answer answer);
  void take(const WorkerCall& call, const RejoinRequest& request, WorkerListener::Answer answer);

  void tell_end(const EndNotice& notice);
  void settle_rejoins();
  void withdraw_rejoin(uint32_t index, const WorkerListener::Answer& answer);

  Loop& loop_;
  Rejoin rejoin_;
  RendezvousServer rendezvous_;
  const uint64_t rendezvous_channel_;
  ChannelToCoordinator* channel_ = nullptr;
  Attempt attempt_ = 0;
  bool is_local_ = false;  // the attempt's rendezvous is on this node
  std::set<uint32_t> indices_;
  std::optional<EndNotice> end_;                                         // of the attempt
  TimePoint grace_until_;                                                // set when the attempt has ended
  std::map<uint64_t, WorkerListener::Answer> asked_;                     // of the rendezvous here, by request id
  std::map<uint64_t, WorkerListener::Answer> sent_;                      // to the coordinator
  std::map<uint32_t, std::deque<WorkerListener::Answer>> wait_for_end_;  // by rank
  std::map<uint32_t, WorkerListener::Answer> rejoins_;                   // by rank
  bool again_ = false;                                                   // set when the attempt has ended
  std::map<uint32_t, Progress> progress_;
  std::map<uint32_t, uint64_t> calls_;
  TimePoint met_;
  uint64_t next_request_ = 1;
};

}  // namespace muster
