// SPDX-License-Identifier: Apache-2.0
// AgentOrders: sends a job's agents their orders: Bind, the desired states, and Dismiss. Loop thread only.
#pragma once

#include <map>
#include <optional>

#include "core/attempt/assignment.h"
#include "core/attempt/repeats.h"
#include "core/coordinator/coordinator_core.h"
#include "core/coordinator/hang_watch.h"
#include "core/coordinator/job_endpoints.h"
#include "core/coordinator/journal_copies.h"
#include "core/coordinator/output_intake.h"

namespace muster {

// The parts from which desired states are composed.
struct OrderSources {
  const JobGangs& gangs;
  const HangWatch& hangs;
  OutputIntake& output;
  JobEndpoints& endpoints;
  JournalCopies& copies;
};

class AgentOrders {
 public:
  // `linger`: agents outlive the controller.
  AgentOrders(const JobContext& context, OrderSources sources, const JobSecrets& secrets, bool linger);

  // The node's agent has connected: its next desired state is sent even if it is unchanged.
  void connected(NodeIndex node) { repeats_.erase(node); }
  void bind(NodeIndex node);
  void desired(const job::DesiredState& desired);
  // Sends the current desired state of `node` again, or of every node. Unchanged ones only if a repeat is due.
  void send_again(std::optional<NodeIndex> node);
  void dismiss(NodeIndex node);
  // The node has reported its first ports. If it was the last one of its gang, ranks start now and not with the next heartbeat.
  void ports_came(NodeIndex node);

  // Agents report the CPU and memory use of ranks until then.
  void measure_until(TimePoint until);
  // Agents report the locations of ranks until then. Ignored until 2 s after the end of the previous examination.
  void examine_until(TimePoint until);

 private:
  BindTerms terms(NodeIndex node) const;
  bool add_tasks(NodeIndex node, DesiredState& message);
  void add_end(NodeIndex node, DesiredState& message) const;

  const JobContext context_;
  const OrderSources sources_;
  const JobSecrets told_;  // the job's secrets and environment, as agents are told them
  const bool linger_;
  std::map<NodeIndex, Repeats<DesiredState>> repeats_;
  TimePoint measure_until_;
  TimePoint examine_until_;
};

}  // namespace muster
