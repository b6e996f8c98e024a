// SPDX-License-Identifier: Apache-2.0
// ExecServer: runs exec processes on a node, each beside a rank, as the frames of its viewer say. An exec process ends with
// its viewer, with the link to the coordinator, or with its rank's attempt (ExecHost). The server decides nothing about
// ranks. Loop thread only.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "core/port/agent_channel.h"
#include "core/port/exec_host.h"

namespace muster {

class ExecServer {
 public:
  // Returns how to start a program beside the rank, or why it cannot start.
  using Place = std::function<Result<ExecRequest>(uint32_t index)>;
  ExecServer(ExecHost& host, Place place) : host_(host), place_(std::move(place)) {}

  // Null: the link is lost. All exec processes are ended.
  void connect(ChannelToCoordinator* channel);
  void heard(const ExecFrame& frame);
  // Kills all exec processes. Their viewers are told.
  void kill();
  // No exec process runs, and every ExecEnd was sent.
  bool empty() const { return execs_.empty(); }
  // Whether an exec process was ever requested.
  bool served() const { return served_; }

 private:
  struct Running {
    uint32_t index = 0;  // of its rank
    std::unique_ptr<Exec> exec;
    std::map<ExecStream, size_t> under_way;  // bytes that the receiver has not acknowledged
  };

  void obey(uint64_t id, const ExecStart& start);
  void obey(uint64_t id, const ExecBytes& bytes);
  void obey(uint64_t id, const ExecTaken& taken);
  void obey(uint64_t id, const ExecResize& resize);
  void obey(uint64_t id, const ExecSignal& signal);
  void obey(uint64_t id, const ExecLeave& leave);
  void obey(uint64_t, const ExecEnd&) {}  // sent only by this server

  Status begin(uint64_t id, const ExecStart& start);
  ExecHandlers handlers(uint64_t id);
  void ended(uint64_t id, const ExitStatus& exit);
  void send(uint64_t id, decltype(ExecFrame::part) part);
  Running* find(uint64_t id);

  ExecHost& host_;
  const Place place_;
  ChannelToCoordinator* channel_ = nullptr;
  std::map<uint64_t, Running> execs_;
  bool served_ = false;
};

}  // namespace muster
