// Capabilities: what the nodes of a backend are like, as one value. It does not change while the backend lives. Name the fields
// when you make one: Capabilities{.shares_filesystem = true}.
#pragma once

namespace muster {

struct Capabilities {
  // Nodes write output where the controller reads it. If false, their agents send it over their channels.
  bool shares_filesystem = false;
  // A lost node is placed again on the same host only, so that its agent needs no lease (DESIGN.md §5).
  bool fixed_hosts = false;
  // An agent whose job has ended may stay and wait for the next job (IdleAgents).
  bool keeps_agents = false;
  // Nodes are not the submitting shell's machine: of that shell's environment, agents get only the variables that concern jobs.
  bool own_environment = false;
  // If the agent of a node is ended from outside or falls silent, the node was taken from the job: that is no failure of the job.
  bool takes_nodes = false;
  // No store outlives the controller: some agents keep a copy of the journal (JournalPacking).
  bool agents_keep_journal = false;

  bool operator==(const Capabilities&) const = default;
};

}  // namespace muster
