// AgentOrders: what the agents of a job are told: to which node they are bound, what they are to run or to stop, and that they are
// dismissed. Loop thread only.
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

// The parts that desired states are made of.
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

  // The node's agent has connected: it has heard nothing yet.
  void connected(NodeIndex node) { repeats_.erase(node); }
  void bind(NodeIndex node);
  void desired(const job::DesiredState& desired);
  // What `node` is wished, or every node.
  void send_again(std::optional<NodeIndex> node);
  void dismiss(NodeIndex node);

  // What ranks use is reported until then.
  void measure_until(TimePoint until);
  // And where they stand; asked again soon it stays as it is.
  void examine_until(TimePoint until);

 private:
  BindTerms terms(NodeIndex node) const;
  bool add_tasks(NodeIndex node, DesiredState& message);
  void add_end(NodeIndex node, DesiredState& message) const;

  const JobContext context_;
  const OrderSources sources_;
  const JobSecrets told_;  // what agents hear of the job's
  const bool linger_;
  std::map<NodeIndex, Repeats<DesiredState>> repeats_;
  TimePoint measure_until_;
  TimePoint examine_until_;
};

}  // namespace muster
