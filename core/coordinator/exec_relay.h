// SPDX-License-Identifier: Apache-2.0
// ExecRelay: passes frames between the viewers of `muster exec` and the agents that run their exec processes. It only interprets
// the last frame and buffers nothing; both ends limit the bytes in flight (exec_messages.h). Loop thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "core/base/ids.h"
#include "core/port/exec_channel.h"

namespace muster {

class ExecRelay {
 public:
  // Sends to the agent of a node; the frame is dropped if the agent is not connected.
  using Send = std::function<void(NodeIndex node, const ExecFrame& frame)>;
  explicit ExecRelay(Send send) : send_(std::move(send)) {}
  // Tells every viewer that the job has ended.
  ~ExecRelay();
  ExecRelay(const ExecRelay&) = delete;
  ExecRelay& operator=(const ExecRelay&) = delete;

  void open(NodeIndex node, ExecStart start, std::unique_ptr<ExecChannel> viewer);
  // A frame from an agent.
  void heard(NodeIndex node, const ExecFrame& frame);
  // The link to the node is lost. Its agent ends its exec processes.
  void lost(NodeIndex node, const std::string& why);

 private:
  struct Viewed {
    NodeIndex node = 0;
    std::unique_ptr<ExecChannel> viewer;
  };

  void left(uint64_t id, bool lost);

  const Send send_;
  std::map<uint64_t, Viewed> execs_;
  uint64_t last_ = 0;
};

}  // namespace muster
