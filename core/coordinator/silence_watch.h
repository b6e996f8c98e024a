// SPDX-License-Identifier: Apache-2.0
// SilenceWatch: finds nodes that stop reporting. With each heartbeat it decides which nodes are lost, which are unreachable, and
// which agents hang. Loop thread only.
#pragma once

#include <map>

#include "core/coordinator/coordinator_core.h"

namespace muster {

class SilenceWatch {
 public:
  explicit SilenceWatch(const JobContext& context) : context_(context) {}

  void beat();

 private:
  void judge_silent_nodes();
  void pass_over_unreached();
  bool is_lost(const AgentNode& node) const;
  bool hangs(NodeIndex index, const AgentNode& node) const;
  bool hurries(NodeIndex node) const;
  const Capabilities& capabilities() const { return context_.ports.backend.capabilities; }

  const JobContext context_;
  std::map<NodeIndex, uint32_t> unreached_;  // heartbeats since the job was killed
};

}  // namespace muster
