// SPDX-License-Identifier: Apache-2.0
// SilenceWatch: finds nodes that stop reporting. With each heartbeat it decides which nodes are lost, which are unreachable, and
// which agents hang or are stopped by a signal. Loop thread only.
#pragma once

#include <map>
#include <set>
#include <string>

#include "core/coordinator/coordinator_core.h"

namespace muster {

class SilenceWatch {
 public:
  explicit SilenceWatch(const JobContext& context) : context_(context) {}

  void beat();
  // Adds which agents are stopped by a signal, or send no reports.
  void add_to(JobView& view) const;

 private:
  struct Stopped {
    int64_t pid = 0;
    uint32_t resumed = 0;  // heartbeats since it was continued, because its ranks should end; 0: it was not
  };

  void look_for_stopped_agents();
  void look_for_mute_agents();
  void end_ranks_of(NodeIndex node, Stopped& agent);
  void judge_silent_nodes();
  void pass_over_unreached();
  std::string host_of(NodeIndex node) const;
  std::string stopped_sentence(NodeIndex node, int64_t pid) const;
  Duration lease_over() const;  // without a report, the agent's lease and its ranks have ended
  bool is_lost(const AgentNode& node) const;
  bool hangs(NodeIndex index, const AgentNode& node) const;
  bool hurries(NodeIndex node) const;
  const Capabilities& capabilities() const { return context_.ports.backend.capabilities; }

  const JobContext context_;
  std::map<NodeIndex, Stopped> stopped_;
  std::set<NodeIndex> mute_;                 // agents that should report every heartbeat and do not
  std::map<NodeIndex, uint32_t> unreached_;  // heartbeats since the job was killed
};

}  // namespace muster
