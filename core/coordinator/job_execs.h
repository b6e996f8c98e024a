// SPDX-License-Identifier: Apache-2.0
// JobExecs: the exec processes beside the ranks of a job. Loop thread only.
#pragma once

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
  // The link to the node is lost.
  void lost(NodeIndex node, const std::string& why) { relay_.lost(node, why); }

 private:
  Status refusal(const ExecStart& start) const;

  const JobContext context_;
  ExecRelay relay_;
};

}  // namespace muster
