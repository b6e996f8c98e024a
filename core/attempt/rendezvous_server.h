// SPDX-License-Identifier: Apache-2.0
// RendezvousServer: passes calls of workers to the rendezvous machine of their job, and its answers back to the callers. It runs in
// the agent if the job has one node, otherwise in the coordinator (docs/design/decisions/0008).
//
// Each caller has a number that is never reused, so an answer for a lost channel is dropped. Loop thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/machine/rendezvous/rendezvous.h"
#include "core/port/agent_messages.h"
#include "core/port/loop.h"

namespace muster {

Status no_such_rank(uint32_t index);

class RendezvousServer {
 public:
  explicit RendezvousServer(Loop& loop) : loop_(loop) {}
  ~RendezvousServer() { loop_.cancel(timer_); }
  RendezvousServer(const RendezvousServer&) = delete;
  RendezvousServer& operator=(const RendezvousServer&) = delete;

  // Begins an attempt with the worlds of `members`, given by plan index. A later call with the same attempt changes nothing.
  // `taken_over`: the attempt had begun before.
  void begin(const std::vector<RendezvousMember>& members, Attempt attempt, bool taken_over);
  void end(Attempt attempt, const std::string& why);

  // Registers a caller, until disconnect(). `tell` gets its answers. Returns the channel number, never 0.
  uint64_t connect(std::function<void(RendezvousReply)> tell);
  // Removes the caller and its waiters. An unknown number changes nothing.
  void disconnect(uint64_t channel);

  // The barrier or fence that has been open longest.
  std::optional<rendezvous::OpenBarrier> longest_open() const { return rendezvous::longest_open(state_); }

  // The answer is invalid_argument if there is no such rank, and failed_precondition if the attempt has ended.
  void ask(uint64_t channel, RendezvousRequest request);

 private:
  void step(const rendezvous::Event& event);
  void tell(rendezvous::Answer answer);

  Loop& loop_;
  rendezvous::State state_;
  TimerId timer_ = 0;
  std::vector<RendezvousMember> members_;  // of the newest attempt
  std::map<uint64_t, std::function<void(RendezvousReply)>> channels_;
  uint64_t next_channel_ = 1;
};

}  // namespace muster
