// SPDX-License-Identifier: Apache-2.0
// JobExecs: the exec processes beside the ranks of a job. Their viewers are commands, or ranks of the job (PeerExec). Loop thread only.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "core/coordinator/coordinator_core.h"
#include "core/coordinator/exec_relay.h"

namespace muster {

class JobExecs {
 public:
  explicit JobExecs(const JobContext& context);

  // Starts an exec process for the viewer, or tells it why that is not possible.
  void open(const ExecStart& start, std::unique_ptr<ExecChannel> viewer);
  void heard(NodeIndex node, const ExecFrame& frame) { relay_.heard(node, frame); }
  // A frame from a viewer on the node.
  void heard_peer(NodeIndex node, const ExecFrame& frame);
  // The link to the node is lost: that of its exec processes and of its viewers.
  void lost(NodeIndex node, const std::string& why);

 private:
  class PeerViewer;
  using Peer = std::pair<NodeIndex, uint64_t>;  // a viewer, by its node and the id that its agent gave it

  Status refusal(const ExecStart& start) const;

  const JobContext context_;
  std::map<Peer, PeerViewer*> peers_;
  ExecRelay relay_;  // owns the viewers
};

}  // namespace muster
