// WorkerServer: an agent's answers to its workers. Rendezvous calls are answered here when all ranks of the job are on
// this node, else they go to the coordinator; progress is kept for the next report; who asks for the end of the attempt
// is told when it comes.
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
  // `rejoin`: who asks to be a rank of the next attempt, once this one has ended and another follows.
  using Rejoin = std::function<void(uint32_t index, WorkerListener::Answer answer)>;
  WorkerServer(Loop& loop, Rejoin rejoin);

  // An attempt begins, of which `indices` run here. `members`: of the whole job, where their rendezvous is ours.
  void begin(Attempt attempt, std::set<uint32_t> indices, const std::vector<RendezvousMember>& members);
  // Repeated and shortened freely; the first sentence counts. again: another attempt follows.
  void end(const EndNotice& notice, bool again);

  // The way to the coordinator; null: it is away. A lost one fails what was asked on it.
  void connect(ChannelToCoordinator* channel);
  void answered(RendezvousReply reply);

  void ask(WorkerCall call, WorkerListener::Answer answer);

  // How often a rank of the attempt has asked or told something.
  uint64_t calls(uint32_t index) const;
  // When all ranks of the attempt here had asked or told something; zero: not yet.
  TimePoint met() const { return met_; }
  // Where the rendezvous is ours.
  std::optional<rendezvous::OpenBarrier> longest_open() const;

  // What a rank of the attempt told last; null: nothing.
  const Progress* progress(uint32_t index) const;

 private:
  // Whose rank is not here; and whose attempt is not this one.
  Status stranger(const WorkerCall& call) const;
  Status refusal(const WorkerCall& call) const;
  void take(const WorkerCall& call, RendezvousCall& asked, WorkerListener::Answer answer);
  void take(const WorkerCall& call, const Progress& progress, WorkerListener::Answer answer);
  void take(const WorkerCall& call, const EndQuestion& question, WorkerListener::Answer answer);
  void take(const WorkerCall& call, const RejoinRequest& request, WorkerListener::Answer answer);

  void tell_end(const EndNotice& notice);
  void settle_rejoins();

  Loop& loop_;
  Rejoin rejoin_;
  RendezvousServer here_;
  const uint64_t here_channel_;
  ChannelToCoordinator* channel_ = nullptr;
  Attempt attempt_ = 0;
  bool ours_ = false;  // the attempt's rendezvous
  std::set<uint32_t> indices_;
  std::optional<EndNotice> end_;                                         // of the attempt
  TimePoint grace_until_;                                                // once it has ended
  std::map<uint64_t, WorkerListener::Answer> asked_;                     // by request id, rising for the agent's life
  std::map<uint32_t, std::deque<WorkerListener::Answer>> wait_for_end_;  // by rank
  std::map<uint32_t, WorkerListener::Answer> rejoins_;                   // by rank
  bool again_ = false;                                                   // once it has ended
  std::map<uint32_t, Progress> progress_;
  std::map<uint32_t, uint64_t> calls_;
  TimePoint met_;
  uint64_t next_request_ = 1;
};

}  // namespace muster
