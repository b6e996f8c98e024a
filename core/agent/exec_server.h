// SPDX-License-Identifier: Apache-2.0
// ExecServer: runs exec processes on a node, each beside a rank, as the frames of its viewer say. An exec process ends with
// its viewer, with the link to the coordinator, or with its rank's attempt (ExecHost). The server decides nothing about
// ranks. Loop thread only.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/port/agent_channel.h"
#include "core/port/exec_host.h"

namespace muster {

class ExecServer {
 public:
  // The place where a program starts, with the meanings of ExecStart.
  struct Where {
    uint32_t index = 0;
    Attempt attempt = 0;
    bool whole_node = false;
  };
  // Returns how to start a program there, or why it cannot start.
  using Place = std::function<Result<ExecRequest>(const Where& where)>;
  // `program`: the words that start muster's own program (ExecStart::own_program).
  ExecServer(ExecHost& host, std::vector<std::string> program, Place place)
      : host_(host),
        program_(std::move(program)),
        place_(std::move(place)) {}

  // Null: the link is lost. All exec processes are ended.
  void connect(ChannelToCoordinator* channel);
  void heard(const ExecFrame& frame);
  // Kills all exec processes; those that may carry an agent end it first. Their viewers are told.
  void kill();
  // Call it with each heartbeat: continues programs of the whole node that a signal has stopped. The other end of what they carry cannot
  // know of it, and would wait for ever.
  void continue_stopped();
  // No exec process runs, and every ExecEnd was sent.
  bool empty() const { return execs_.empty(); }
  // Whether an exec process was ever requested.
  bool served() const { return served_; }

 private:
  struct Running {
    Where where;
    std::unique_ptr<Exec> exec;
    std::map<ExecStream, size_t> under_way = {};  // bytes that the receiver has not acknowledged
  };

  void obey(uint64_t id, const ExecStart& start);
  void obey(uint64_t id, const ExecBytes& bytes);
  void obey(uint64_t id, const ExecTaken& taken);
  void obey(uint64_t id, const ExecResize& resize);
  void obey(uint64_t id, const ExecSignal& signal);
  void obey(uint64_t id, const ExecLeave& leave);
  void obey(uint64_t, const ExecEnd&) {}  // sent only by this server

  Status begin(uint64_t id, const ExecStart& start);
  static void end_with_agent(Exec& exec);
  ExecHandlers handlers(uint64_t id);
  void ended(uint64_t id, const ExitStatus& exit);
  void send(uint64_t id, decltype(ExecFrame::part) part);
  Running* find(uint64_t id);

  ExecHost& host_;
  const std::vector<std::string> program_;
  const Place place_;
  ChannelToCoordinator* channel_ = nullptr;
  std::map<uint64_t, Running> execs_;
  bool served_ = false;
};

}  // namespace muster
