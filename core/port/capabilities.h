// SPDX-License-Identifier: Apache-2.0
// Capabilities: the properties of a backend's nodes. They do not change while the backend exists. Name the fields when you
// construct one: Capabilities{.shares_filesystem = true}.
#pragma once

namespace muster {

struct Capabilities {
  // Nodes write output to files that the controller can read. If false, their agents upload it.
  bool shares_filesystem = false;
  // A lost node is placed again on the same host only, so that its agent needs no lease (docs/design/liveness.md).
  bool fixed_hosts = false;
  // An agent whose job has ended may stay and wait for the next job (IdleAgents).
  bool keeps_agents = false;
  // Nodes are not on the submitting shell's machine: agents get only those variables of the shell that concern jobs.
  bool own_environment = false;
  // If the agent of a node is ended from outside or falls silent, the node was taken from the job: that is no failure of the job.
  bool takes_nodes = false;
  // No store outlives the controller: some agents keep a copy of the journal (JournalPacking).
  bool agents_keep_journal = false;

  bool operator==(const Capabilities&) const = default;
};

}  // namespace muster
