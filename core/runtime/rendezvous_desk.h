// RendezvousDesk: brings what workers ask to the rendezvous machine of their job, and its answers back on the channels they asked on.
//
// Channels are told apart by numbers of their own, so that an answer for a channel that was lost finds nobody. Loop thread only.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "core/machine/rendezvous/rendezvous.h"
#include "core/port/agent_channel.h"
#include "core/port/loop.h"
#include "core/runtime/journal_codec.h"

namespace muster {

class RendezvousDesk {
 public:
  explicit RendezvousDesk(Loop& loop) : loop_(loop) {}
  ~RendezvousDesk() { loop_.cancel(timer_); }
  RendezvousDesk(const RendezvousDesk&) = delete;
  RendezvousDesk& operator=(const RendezvousDesk&) = delete;

  // The worlds of `submission` begin an attempt; a later call with the same attempt changes nothing. `taken_over`: it is under way already.
  void begin(const Submission& submission, Attempt attempt, bool taken_over);
  void end(Attempt attempt, const std::string& why);

  // A channel to one of the job's nodes, until disconnect(); answers are sent on it. Never 0.
  uint64_t connect(ChannelToAgent& channel);
  // Its waiters are forgotten. An unknown number changes nothing.
  void disconnect(uint64_t channel);

  // A worker of `node` asks. invalid_argument is answered when that node runs no such rank.
  void ask(uint64_t channel, const Submission& submission, NodeIndex node, const RendezvousRequest& request);

 private:
  void step(const rendezvous::Event& event);
  void tell(const rendezvous::Answer& answer);

  Loop& loop_;
  rendezvous::State state_;
  TimerId timer_ = 0;
  std::map<uint64_t, ChannelToAgent*> channels_;
  uint64_t next_channel_ = 1;
};

}  // namespace muster
