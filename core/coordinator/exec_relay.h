// ExecRelay: what in a coordinator passes frames between viewers and the agents that run their execs. It looks into none but
// the last, and holds nothing: what is under way is bounded by the two ends (exec_messages.h). Loop thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "core/base/ids.h"
#include "core/port/exec_channel.h"

namespace muster {

// Tells a viewer why there is no exec for it, or no more.
void refuse_exec(ExecChannel& viewer, const Status& why);

class ExecRelay {
 public:
  // To the agent of a node; dropped where there is no link.
  using Send = std::function<void(NodeIndex node, const ExecFrame& frame)>;
  explicit ExecRelay(Send send) : send_(std::move(send)) {}
  // Every viewer hears that the job is over.
  ~ExecRelay();
  ExecRelay(const ExecRelay&) = delete;
  ExecRelay& operator=(const ExecRelay&) = delete;

  void open(NodeIndex node, ExecStart start, std::unique_ptr<ExecChannel> viewer);
  // Of an agent.
  void heard(NodeIndex node, const ExecFrame& frame);
  // The link to a node is gone, and its agent ends what it ran.
  void lost(NodeIndex node, const std::string& why);

 private:
  struct Viewed {
    NodeIndex node = 0;
    std::unique_ptr<ExecChannel> viewer;
  };

  void left(uint64_t id);

  const Send send_;
  std::map<uint64_t, Viewed> execs_;
  uint64_t last_ = 0;
};

}  // namespace muster
