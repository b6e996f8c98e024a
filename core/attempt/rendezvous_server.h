// RendezvousServer: brings what workers ask to the rendezvous machine of their job, and its answers back to where they
// asked: in the agent of a job that has one node, else in its coordinator (docs/decisions/0008).
//
// Askers are told apart by numbers of their own, so that an answer for a channel that was lost finds nobody. Loop
// thread only.
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

  // The worlds of `members`, by plan index, begin an attempt; a later call with the same attempt changes nothing.
  // `taken_over`: it is under way already.
  void begin(const std::vector<RendezvousMember>& members, Attempt attempt, bool taken_over);
  void end(Attempt attempt, const std::string& why);

  // Somebody who asks, until disconnect(), and where the answers go. Never 0.
  uint64_t connect(std::function<void(RendezvousReply)> tell);
  // Its waiters are forgotten. An unknown number changes nothing.
  void disconnect(uint64_t channel);

  // What its ranks have waited for longest.
  std::optional<rendezvous::OpenBarrier> longest_open() const { return rendezvous::longest_open(state_); }

  // invalid_argument is answered when there is no such rank.
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
