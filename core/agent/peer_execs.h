// SPDX-License-Identifier: Apache-2.0
// PeerExecs: the exec processes beside ranks of any node whose viewers are ranks of this node. It passes frames between these viewers
// and the coordinator, and interprets only the last one. Loop thread only.
#pragma once

#include <cstdint>
#include <map>
#include <memory>

#include "core/port/agent_channel.h"
#include "core/port/exec_channel.h"
#include "core/port/worker_listener.h"

namespace muster {

class PeerExecs {
 public:
  explicit PeerExecs(WorkerListener& door);
  // Null: the link to the coordinator is lost. Each viewer gets its ExecEnd.
  void connect(ChannelToCoordinator* channel);
  // An attempt of this node's ranks begins. Viewers of others are refused.
  void begin(Attempt attempt) { attempt_ = attempt; }
  void heard(const PeerExec& message);

 private:
  void open(ExecStart start, std::unique_ptr<ExecChannel> viewer);
  void send(uint64_t id, decltype(ExecFrame::part) part);

  ChannelToCoordinator* channel_ = nullptr;
  Attempt attempt_ = 0;
  std::map<uint64_t, std::unique_ptr<ExecChannel>> viewers_;  // by id, which only rises
  uint64_t last_ = 0;
};

}  // namespace muster
