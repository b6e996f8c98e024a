// ExecServer: what in an agent runs execs, the programs of `exec`: each beside a rank, as its viewer's frames say. A exec ends with
// its viewer, with the link to the coordinator, and with its rank's attempt (ExecHost). It decides nothing about ranks. Loop
// thread only.
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
  // How a program starts beside this rank; or why none can.
  using Place = std::function<Result<ExecRequest>(uint32_t index)>;
  ExecServer(ExecHost& host, Place place) : host_(host), place_(std::move(place)) {}

  // Null: the link is lost, and with it every viewer.
  void connect(ChannelToCoordinator* channel);
  void heard(const ExecFrame& frame);
  // Nobody's end is still to be said.
  bool empty() const { return execs_.empty(); }
  // There ever was one.
  bool served() const { return served_; }

 private:
  struct Running {
    uint32_t index = 0;  // of its rank
    std::unique_ptr<Exec> exec;
    std::map<ExecStream, size_t> under_way;  // bytes that the receiver has not taken
  };

  void obey(uint64_t id, const ExecStart& start);
  void obey(uint64_t id, const ExecBytes& bytes);
  void obey(uint64_t id, const ExecTaken& taken);
  void obey(uint64_t id, const ExecResize& resize);
  void obey(uint64_t id, const ExecSignal& signal);
  void obey(uint64_t id, const ExecLeave& leave);
  void obey(uint64_t, const ExecEnd&) {}  // ours to say

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
